// Identities as Letta's API shows them, and the agents that have one.
// Invariant: the agents of an identity are those whose notes name it, so that a deleted agent leaves nothing behind.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { extensionsOf, notesOf } from "../agents/agent-notes.ts";
import { shownOrganizationId } from "../ids.ts";

export type Identity = Awaited<ReturnType<UserRuntime["identities"]["find"]>>;
type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;

export const identityShape = z.looseObject({
  id: z.string(),
  identifier_key: z.string(),
  name: z.string(),
  identity_type: z.enum(["user", "org", "other"]),
  agent_ids: z.array(z.string()),
  block_ids: z.array(z.string()),
  properties: z.array(z.unknown()),
});

export function shownIdentity({ id, key, name, kind, properties }: Identity, agents: readonly AgentRecord[]) {
  return {
    id: `identity-${id}`,
    identifier_key: key,
    name,
    identity_type: kind,
    project_id: null,
    agent_ids: agentsWith(id, agents).map((agent) => `agent-${agent.id}`),
    block_ids: [],
    organization_id: shownOrganizationId,
    properties,
  };
}

/** Oldest first. */
export function agentsWith(id: string, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  return agents.filter((agent) => notesOf(agent).identity_ids?.includes(id) === true);
}

/** Adds the identity to an agent, or removes it. */
export async function setIdentity(
  runtime: Pick<UserRuntime, "agents">,
  agent: AgentRecord,
  { id, isWanted }: { readonly id: string; readonly isWanted: boolean },
): Promise<void> {
  const notes = notesOf(agent);
  const has = notes.identity_ids ?? [];
  if (has.includes(id) === isWanted) return;
  const next = isWanted ? [...has, id] : has.filter((other) => other !== id);
  await runtime.agents.setDetails(agent.id, { extensions: extensionsOf({ ...notes, identity_ids: next }) });
}
