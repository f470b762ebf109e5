// How agents are named: the user's own by a name, those of other users by `owner/name`.
// Invariant: an agent's own name has no slash, so the last slash of a full name ends the owner's id, whatever that id holds.

export interface AgentName {
  /** Null for an agent of the user's own; empty for one whose owner was deleted. */
  readonly owner: string | null;
  readonly name: string;
}

/** Splits what a user has written at its last slash. */
export function parseAgentName(written: string): AgentName {
  const slash = written.lastIndexOf("/");
  return slash < 0
    ? { owner: null, name: written }
    : { owner: written.slice(0, slash), name: written.slice(slash + 1) };
}

/** The name by which a user names the agent; `ownerId` is null when the owner was deleted. */
export function agentNameFor(
  userId: string,
  { ownerId, name }: { readonly ownerId: string | null; readonly name: string },
): string {
  return ownerId === userId ? name : `${ownerId ?? ""}/${name}`;
}
