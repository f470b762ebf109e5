// Identities as Letta's API shows them, and the agents that have one.
// Invariant: the agents of an identity are those whose notes name it, so that a deleted agent leaves nothing behind.
import * as z from "zod";
import { identityIdsOf } from "../agents/agent-notes.ts";
import { shownOrganizationId } from "../ids.ts";
import type { AgentRecord, Identity } from "../runtime-records.ts";
import { emptyList, fixed, recordOf, text, texts } from "../wire-record.ts";

export const identityType = z.enum(["user", "org", "other"]);

interface IdentityParts {
  readonly identity: Identity;
  /** Among whom those are that have it. */
  readonly agents: readonly AgentRecord[];
}

export const identityRecord = recordOf<IdentityParts>()({
  id: [text, ({ identity }) => `identity-${identity.id}`],
  identifier_key: [text, ({ identity }) => identity.key],
  name: [text, ({ identity }) => identity.name],
  identity_type: [identityType, ({ identity }) => identity.kind],
  project_id: fixed(null),
  agent_ids: [texts, ({ identity, agents }) => agentsWith(identity.id, agents).map(({ id }) => `agent-${id}`)],
  block_ids: emptyList,
  organization_id: fixed(shownOrganizationId),
  properties: [z.array(z.unknown()).readonly(), ({ identity }) => identity.properties],
});

/** Oldest first. */
export function agentsWith(id: string, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  return agents.filter((agent) => identityIdsOf(agent).includes(id));
}
