// Parses and formats agent names: `name` for the user's own agents, `owner/name` for agents of other users.
// Invariant: an agent's own name has no slash, so the last slash of a full name ends the owner's id, even if that id contains
// slashes.

export interface AgentName {
  /** The owner's id; null for the user's own agent, and empty if the owner was deleted. */
  readonly owner: string | null;
  readonly name: string;
}

/** Splits a typed name at its last slash into the owner's id and the agent's own name. */
export function parseAgentName(written: string): AgentName {
  const slash = written.lastIndexOf("/");
  return slash < 0
    ? { owner: null, name: written }
    : { owner: written.slice(0, slash), name: written.slice(slash + 1) };
}

/** Returns the name that a user types for the agent; `ownerId` is null if the owner was deleted. */
export function agentNameFor(
  userId: string,
  { ownerId, name }: { readonly ownerId: string | null; readonly name: string },
): string {
  return ownerId === userId ? name : `${ownerId ?? ""}/${name}`;
}
