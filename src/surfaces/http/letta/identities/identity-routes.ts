// Defines the routes of `/v1` for identities: people and organizations that agents talk to.
// Invariant: an identity grants no right; the user of a request is the user of its key.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route, RouteCall } from "../../route.ts";
import { extensionsWith, identityIdsOf, agentExtensionOf } from "../agents/agent-extension.ts";
import { agentKind, includeQuery } from "../agents/agent-record.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { idOf } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { pageOf, pageQuery, rangeOf } from "../pages.ts";
import type { AgentRecord, Identity } from "../runtime-records.ts";
import { given, text } from "../wire-record.ts";
import { agentsWith, identityRecord, identityType } from "./identity-record.ts";

const property = z.object({ key: text, value: z.unknown(), type: z.enum(["string", "number", "boolean", "json"]) });
const changeBody = z.object({
  identifier_key: text.nullish(),
  name: text.nullish(),
  identity_type: identityType.nullish(),
  properties: z.array(property).nullish(),
  agent_ids: z.array(idOf("agent")).nullish(),
  block_ids: z.array(text).nullish(),
});
const createBody = changeBody.extend({ identifier_key: text, name: text, identity_type: identityType });

type Change = z.output<typeof changeBody>;

const identityKind: RecordKind<Identity> = {
  param: "identity",
  one: "an identity",
  many: "identities",
  shape: identityRecord.shape,
  show: async (identities, { runtime }) => {
    const agents = await runtime.agents.list();
    return identities.map((identity) => identityRecord.show({ identity, agents }));
  },
};

const identity = recordRoutes("/identities", identityKind);

export const identityRoutes: readonly Route[] = [
  identity.list({
    query: pageQuery("identity").extend({
      name: text.optional(),
      identifier_key: text.optional(),
      identity_type: identityType.optional(),
      project_id: text.optional(),
    }),
    run: async ({ runtime, query }) => {
      const range = rangeOf(query);
      if (range === null || query.project_id !== undefined) return [];
      const { name, identifier_key: key, identity_type: kind } = query;
      return runtime.identities.list({ ...range, ...given({ name, key, kind }) });
    },
  }),
  identity.create({ body: createBody, run: (call) => created(call, call.body) }),
  identity.upsert({
    summary: "Create an identity, or change the one with its key",
    body: createBody,
    run: async (call) => {
      const { runtime, body } = call;
      const [known] = await runtime.identities.list({ key: body.identifier_key, limit: 1 });
      return known === undefined ? created(call, body) : changed(call, known.id, body);
    },
  }),
  identity.count({ run: ({ runtime }) => runtime.identities.count() }),
  identity.get({ run: ({ runtime }, id) => runtime.identities.find(id) }),
  identity.change({ body: changeBody, run: (call, id) => changed(call, id, call.body) }),
  identity.remove({
    summary: "Delete an identity; its agents stay",
    run: async (call, id) => {
      await call.runtime.identities.delete(id);
      await setAgents(call, id, []);
    },
  }),
  on("put /identities/:identity/properties", "admin", "Set properties of an identity; others stay", {
    body: z.array(property),
    output: z.null(),
    run: async ({ runtime, params, body }) => {
      const { properties } = await runtime.identities.find(params.identity);
      const kept = properties.filter(({ key }) => body.every((sent) => sent.key !== key));
      await runtime.identities.update(params.identity, { properties: [...kept, ...body] });
      return null;
    },
  }),
  on("get /identities/:identity/agents", "read", "List the agents that have an identity", {
    query: pageQuery("agent").extend(includeQuery),
    output: z.array(agentKind.shape),
    run: async (call) => {
      const { runtime, params, query } = call;
      const { id } = await runtime.identities.find(params.identity);
      const found = agentsWith(id, await runtime.agents.list({ order: "oldest" }));
      return agentKind.show(pageOf(found, query), call, false);
    },
  }),
  on(
    "get /identities/:identity/blocks",
    "read",
    "List the blocks of an identity: none, since blocks belong to agents",
    {
      query: pageQuery("block"),
      output: z.array(z.unknown()),
      run: async ({ runtime, params }) => {
        await runtime.identities.find(params.identity);
        return [];
      },
    },
  ),
  ...attachRoutes({
    word: "identities",
    name: "identity",
    label: "an identity",
    change: async (runtime, { agent, id: wanted, isWanted }) => {
      const record = await runtime.agents.find(agent);
      const { id } = await runtime.identities.find(wanted);
      await setIdentity(runtime, record, { id, isWanted });
    },
  }),
];

/** The parts of a call that are needed to change the agents of an identity. */
type ChangeCall = Pick<RouteCall<unknown, unknown, unknown>, "runtime" | "agentChanges">;

function created(call: ChangeCall, body: z.output<typeof createBody>): Promise<Identity> {
  const { identifier_key: key, name, identity_type: kind, properties } = body;
  return written(call, body, ({ identities }) => identities.create({ key, name, kind, properties: properties ?? [] }));
}

function changed(call: ChangeCall, id: string, body: Change): Promise<Identity> {
  const { identifier_key: key, name, identity_type: kind, properties } = body;
  return written(call, body, ({ identities }) => identities.update(id, given({ key, name, kind, properties })));
}

/** Writes an identity, and gives it to the listed agents. Throws for an unknown agent before anything is written. */
async function written(
  call: ChangeCall,
  { agent_ids: agentIds }: Change,
  write: (runtime: UserRuntime) => Promise<Identity>,
): Promise<Identity> {
  for (const agent of agentIds ?? []) await call.runtime.agents.find(agent);
  const identity = await write(call.runtime);
  await setAgents(call, identity.id, agentIds);
  return identity;
}

/** Gives an identity to the listed agents and removes it from all others; does nothing without a list. */
async function setAgents(
  { runtime, agentChanges }: ChangeCall,
  id: string,
  agentIds: Change["agent_ids"],
): Promise<void> {
  if (agentIds === null || agentIds === undefined) return;
  for (const agent of await runtime.agents.list()) {
    const change = { id, isWanted: agentIds.includes(agent.id) };
    if (identityIdsOf(agent).includes(id) === change.isWanted) continue;
    await agentChanges.run(agent.id, async () => setIdentity(runtime, await runtime.agents.find(agent.id), change));
  }
}

/** Adds an identity to an agent as it is now, or removes the identity. Must run in the queue of the agent's changes. */
async function setIdentity(
  { agents }: Pick<UserRuntime, "agents">,
  agent: AgentRecord,
  { id, isWanted }: { readonly id: string; readonly isWanted: boolean },
): Promise<void> {
  const has = identityIdsOf(agent);
  if (has.includes(id) === isWanted) return;
  const next = isWanted ? [...has, id] : has.filter((other) => other !== id);
  await agents.setDetails(agent.id, { extensions: extensionsWith({ ...agentExtensionOf(agent), identity_ids: next }) });
}
