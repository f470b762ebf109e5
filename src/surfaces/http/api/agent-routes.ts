// Routes of `/api` about agents and their core memory.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { agentPath, given, limitQuery, listQuery, modulePath, queryNumber, queryTexts } from "./parameters.ts";
import { agentFileShape } from "./record-shapes.ts";
import { agentShape, causeShape, diffShape, moduleShape, rememberedShape, revisionShape, whole } from "./shapes.ts";

const agentDetails = {
  description: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
};

const newAgent = z.strictObject({
  name: z.string(),
  model: z.string().optional(),
  protocol: z.enum(["native", "heartbeat"]).optional(),
  persona: z.string().optional(),
  human: z.string().optional(),
  coreMemoryLimit: z.number().optional(),
  systemPrompt: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  ...agentDetails,
});

const importRequest = z.strictObject({
  /** The agent file as JSON, or its text. */
  file: z.unknown(),
  name: z.string().optional(),
  suffix: z.string().optional(),
  model: z.string().optional(),
  embedding: z.string().optional(),
  withoutMessages: z.boolean().optional(),
  existingTools: z.enum(["keep", "replace"]).optional(),
  keepTrust: z.boolean().optional(),
});

export const agentRoutes = [
  route({
    method: "get",
    path: "/agents",
    summary: "List the agents; with a key of one agent, that one",
    scope: "read",
    query: listQuery.extend({
      name: z.string().optional(),
      text: z.string().optional(),
      tags: queryTexts.optional(),
    }),
    output: z.array(agentShape),
    run: ({ runtime, query }) => runtime.agents.list(given(query)),
  }),
  route({
    method: "post",
    path: "/agents",
    summary: "Create an agent",
    scope: "admin",
    body: newAgent,
    status: 201,
    output: agentShape,
    run: ({ runtime, body }) => runtime.agents.create(given(body)),
  }),
  route({
    method: "get",
    path: "/agents/:agent",
    summary: "Get an agent",
    scope: "read",
    params: agentPath,
    output: agentShape,
    run: ({ runtime, params }) => runtime.agents.find(params.agent),
  }),
  route({
    method: "patch",
    path: "/agents/:agent",
    summary: "Change the name, the model or the details of an agent",
    scope: "admin",
    params: agentPath,
    body: z.strictObject({
      name: z.string().optional(),
      model: z.string().optional(),
      baseUrl: z.string().nullable().optional(),
      ...agentDetails,
    }),
    output: agentShape,
    run: async ({ runtime, params, body: { model, baseUrl, ...details } }) => {
      const { id, model: current } = await runtime.agents.find(params.agent);
      if (model !== undefined || baseUrl !== undefined) {
        await runtime.agents.setModel(id, model ?? current, given({ baseUrl }));
      }
      return runtime.agents.setDetails(id, given(details));
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/file",
    summary: "Export an agent with memory, revisions and conversations as an agent file",
    scope: "admin",
    params: agentPath,
    output: agentFileShape,
    run: ({ runtime, params }) => runtime.agents.export(params.agent),
  }),
  route({
    method: "post",
    path: "/agents/import",
    summary: "Create the agents of an agent file, also of one of Letta's",
    scope: "admin",
    body: importRequest,
    status: 201,
    output: z.strictObject({
      agents: z.array(agentShape),
      counts: z.record(z.string(), whole),
      notes: z.array(z.string()),
    }),
    run: ({ runtime, body: { file, ...options } }) => runtime.agents.import(file, given(options)),
  }),
  route({
    method: "patch",
    path: "/agents/:agent/settings",
    summary: "Change settings of an agent",
    scope: "admin",
    params: agentPath,
    body: z.record(z.string(), z.unknown()),
    output: agentShape,
    run: ({ runtime, params, body }) => runtime.agents.update(params.agent, body),
  }),
  route({
    method: "put",
    path: "/agents/:agent/system-prompt",
    summary: "Replace the system prompt of an agent",
    scope: "admin",
    params: agentPath,
    body: z.strictObject({ text: z.string() }),
    output: agentShape,
    run: ({ runtime, params, body }) => runtime.agents.setSystemPrompt(params.agent, body.text),
  }),
  route({
    method: "delete",
    path: "/agents/:agent",
    summary: "Delete an agent with its conversations and memory",
    scope: "admin",
    params: agentPath,
    output: null,
    run: ({ runtime, params }) => runtime.agents.delete(params.agent),
  }),
  route({
    method: "get",
    path: "/agents/:agent/modules",
    summary: "Get core memory",
    scope: "read",
    params: agentPath,
    output: z.array(moduleShape),
    run: ({ runtime, params }) => runtime.memory.show(params.agent),
  }),
  route({
    method: "put",
    path: "/agents/:agent/modules/:label",
    summary: "Replace the text of a module",
    scope: "chat",
    params: modulePath,
    body: z.strictObject({ value: z.string() }),
    output: moduleShape,
    run: ({ runtime, params, body }) => runtime.memory.set(params.agent, params.label, body.value),
  }),
  route({
    method: "get",
    path: "/agents/:agent/modules/:label/diff",
    summary: "Get the difference between two revisions of a module",
    scope: "read",
    params: modulePath,
    query: z.strictObject({ from: queryNumber.optional(), to: queryNumber.optional() }),
    output: diffShape,
    run: ({ runtime, params, query }) => runtime.memory.diff(params.agent, params.label, given(query)),
  }),
  route({
    method: "get",
    path: "/agents/:agent/modules/:label/revisions/:revision",
    summary: "Get a module as of a revision",
    scope: "read",
    params: modulePath.extend({ revision: queryNumber }),
    output: moduleShape,
    run: ({ runtime, params }) => runtime.memory.at(params.agent, params.label, params.revision),
  }),
  route({
    method: "get",
    path: "/agents/:agent/modules/:label/revisions/:revision/cause",
    summary: "Get the tool call and the message that caused a revision",
    scope: "read",
    params: modulePath.extend({ revision: queryNumber }),
    output: causeShape,
    run: ({ runtime, params }) => runtime.memory.cause(params.agent, params.label, params.revision),
  }),
  route({
    method: "get",
    path: "/agents/:agent/revisions",
    summary: "List the changes of core memory, newest first",
    scope: "read",
    params: agentPath,
    query: limitQuery.extend({ label: z.string().optional() }),
    output: z.array(revisionShape),
    run: ({ runtime, params, query }) => runtime.memory.revisions(params.agent, given(query)),
  }),
  route({
    method: "post",
    path: "/agents/:agent/undo",
    summary: "Undo a change of core memory, by default the last one",
    scope: "chat",
    params: agentPath,
    body: z.strictObject({
      label: z.string().optional(),
      revision: z.int().optional(),
      force: z.boolean().optional(),
    }),
    output: revisionShape.nullable(),
    run: ({ runtime, params, body: { label, ...options } }) => runtime.memory.undo(params.agent, label, given(options)),
  }),
  route({
    method: "post",
    path: "/agents/:agent/remember",
    summary: "Keep a fact about the user in core memory",
    scope: "chat",
    params: agentPath,
    body: z.strictObject({ fact: z.string() }),
    output: rememberedShape,
    run: ({ runtime, params, body }) => runtime.memory.remember(params.agent, body.fact),
  }),
] as const satisfies readonly Route[];
