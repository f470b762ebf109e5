// Routes of `/v1` about identities: people and organizations that agents talk to.
// Invariant: no right follows from an identity; a user is that of the key.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { agentShape, agentStates } from "../agents/agent-state.ts";
import { includeQuery, relationsOf } from "../agents/relations.ts";
import { idOf } from "../ids.ts";
import { pageOf, pageQuery, rangeOf } from "../page-query.ts";
import { given } from "../wire-values.ts";
import { agentsWith, type Identity, identityShape, setIdentity, shownIdentity } from "./shown-identity.ts";

const identityPath = z.object({ identity: idOf("identity") });
const kind = z.enum(["user", "org", "other"]);
const property = z.object({
  key: z.string(),
  value: z.unknown(),
  type: z.enum(["string", "number", "boolean", "json"]),
});
const changeBody = z.object({
  identifier_key: z.string().nullish(),
  name: z.string().nullish(),
  identity_type: kind.nullish(),
  properties: z.array(property).nullish(),
  agent_ids: z.array(idOf("agent")).nullish(),
  block_ids: z.array(z.string()).nullish(),
});
const createBody = changeBody.extend({ identifier_key: z.string(), name: z.string(), identity_type: kind });

type Change = z.output<typeof changeBody>;

const collection: readonly Route[] = [
  route({
    method: "get",
    path: "/identities",
    summary: "List identities",
    scope: "read",
    query: pageQuery("identity").extend({
      name: z.string().optional(),
      identifier_key: z.string().optional(),
      identity_type: kind.optional(),
      project_id: z.string().optional(),
    }),
    output: z.array(identityShape),
    run: async ({ runtime, query }) => {
      const range = rangeOf(query);
      if (range === null || query.project_id !== undefined) return [];
      const { name, identifier_key: key, identity_type: wanted } = query;
      const found = await runtime.identities.list({ ...range, ...given({ name, key, kind: wanted }) });
      const agents = await runtime.agents.list();
      return found.map((identity) => shownIdentity(identity, agents));
    },
  }),
  route({
    method: "post",
    path: "/identities",
    summary: "Create an identity",
    scope: "admin",
    body: createBody,
    output: identityShape,
    run: async ({ runtime, body }) => created(runtime, body),
  }),
  route({
    method: "put",
    path: "/identities",
    summary: "Create an identity, or change the one of its key",
    scope: "admin",
    body: createBody,
    output: identityShape,
    run: async ({ runtime, body }) => {
      const [known] = await runtime.identities.list({ key: body.identifier_key, limit: 1 });
      return known === undefined ? created(runtime, body) : changed(runtime, known.id, body);
    },
  }),
  route({
    method: "get",
    path: "/identities/count",
    summary: "Count the identities",
    scope: "read",
    output: z.int(),
    run: ({ runtime }) => runtime.identities.count(),
  }),
];

const single: readonly Route[] = [
  route({
    method: "get",
    path: "/identities/:identity",
    summary: "Get an identity",
    scope: "read",
    params: identityPath,
    output: identityShape,
    run: async ({ runtime, params }) => shown(runtime, await runtime.identities.find(params.identity)),
  }),
  route({
    method: "patch",
    path: "/identities/:identity",
    summary: "Change an identity",
    scope: "admin",
    params: identityPath,
    body: changeBody,
    output: identityShape,
    run: async ({ runtime, params, body }) => changed(runtime, params.identity, body),
  }),
  route({
    method: "delete",
    path: "/identities/:identity",
    summary: "Delete an identity; its agents stay",
    scope: "admin",
    params: identityPath,
    output: z.null(),
    run: async ({ runtime, params: { identity: id } }) => {
      await runtime.identities.delete(id);
      for (const agent of agentsWith(id, await runtime.agents.list()))
        await setIdentity(runtime, agent, { id, isWanted: false });
      return null;
    },
  }),
  route({
    method: "put",
    path: "/identities/:identity/properties",
    summary: "Set properties of an identity; others stay",
    scope: "admin",
    params: identityPath,
    body: z.array(property),
    output: z.null(),
    run: async ({ runtime, params, body }) => {
      const { properties } = await runtime.identities.find(params.identity);
      const kept = properties.filter(({ key }) => body.every((sent) => sent.key !== key));
      await runtime.identities.update(params.identity, { properties: [...kept, ...body] });
      return null;
    },
  }),
  route({
    method: "get",
    path: "/identities/:identity/agents",
    summary: "List the agents that have an identity",
    scope: "read",
    params: identityPath,
    query: pageQuery("agent").extend(includeQuery.shape),
    output: z.array(agentShape),
    run: async ({ runtime, params, query, headers }) => {
      const { id } = await runtime.identities.find(params.identity);
      const found = agentsWith(id, await runtime.agents.list({ order: "oldest" }));
      return agentStates(runtime, pageOf(found, query), relationsOf(query, headers));
    },
  }),
  route({
    method: "get",
    path: "/identities/:identity/blocks",
    summary: "List the blocks of an identity: none, since blocks belong to agents",
    scope: "read",
    params: identityPath,
    query: pageQuery("block"),
    output: z.array(z.unknown()),
    run: async ({ runtime, params }) => {
      await runtime.identities.find(params.identity);
      return [];
    },
  }),
];

const ofAgents = attachRoutes({
  word: "identities",
  name: "identity",
  label: "an identity",
  change: async (runtime, { agent, id: wanted, isWanted }) => {
    const record = await runtime.agents.find(agent);
    const { id } = await runtime.identities.find(wanted);
    await setIdentity(runtime, record, { id, isWanted });
  },
});

export const identityRoutes: readonly Route[] = [...collection, ...single, ...ofAgents];

async function shown(runtime: UserRuntime, identity: Identity) {
  return shownIdentity(identity, await runtime.agents.list());
}

async function created(runtime: UserRuntime, body: z.output<typeof createBody>) {
  for (const agent of body.agent_ids ?? []) await runtime.agents.find(agent);
  const { identifier_key: key, name, identity_type: wanted, properties } = body;
  const identity = await runtime.identities.create({ key, name, kind: wanted, properties: properties ?? [] });
  await setAgents(runtime, identity.id, body.agent_ids);
  return shown(runtime, identity);
}

async function changed(runtime: UserRuntime, id: string, body: Change) {
  for (const agent of body.agent_ids ?? []) await runtime.agents.find(agent);
  const { identifier_key: key, name, identity_type: wanted, properties } = body;
  const identity = await runtime.identities.update(id, given({ key, name, kind: wanted, properties }));
  await setAgents(runtime, id, body.agent_ids);
  return shown(runtime, identity);
}

/** The given list replaces the former one. */
async function setAgents(runtime: UserRuntime, id: string, agentIds: Change["agent_ids"]): Promise<void> {
  if (agentIds === null || agentIds === undefined) return;
  for (const agent of await runtime.agents.list())
    await setIdentity(runtime, agent, { id, isWanted: agentIds.includes(agent.id) });
}
