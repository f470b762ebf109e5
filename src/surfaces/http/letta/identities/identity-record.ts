// Converts identities to the form of Letta's API, and finds the agents that have an identity.
import * as z from "zod";
import { identityIdsOf } from "../agents/agent-extension.ts";
import { shownOrganizationId } from "../ids.ts";
import type { AgentRecord, Identity } from "../runtime-records.ts";
import { emptyList, fixed, recordOf, text, texts } from "../wire-record.ts";

export const identityType = z.enum(["user", "org", "other"]);

interface IdentityParts {
  readonly identity: Identity;
  /** All agents; only those with the identity are shown. */
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

/** Returns the agents that have the identity with this id, in the order of `agents`. */
export function agentsWith(id: string, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  return agents.filter((agent) => identityIdsOf(agent).includes(id));
}
