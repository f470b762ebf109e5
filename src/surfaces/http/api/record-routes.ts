// Defines the routes of `/api` that call several operations, take a file, or have no contract.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { given } from "../../../base/given.ts";
import { agentPath, queryNumber, queryTexts, recordShape, whole } from "./form-shapes.ts";
import { agentFields } from "../../../runtime/agents/contract.ts";
import { importReportFields } from "../../../runtime/imports/contract.ts";
import { loadedFields } from "../../../runtime/sources/contract.ts";
import { agentToolsFields } from "../../../runtime/stored-tools/contract.ts";
import { Fault } from "../fault.ts";

const agentShape = recordShape(agentFields);
const nullableText = z.string().nullable();
const anyJson = z.record(z.string(), z.unknown());

const plannedContextShape = z.looseObject({
  synopsis: nullableText,
  recent: z.array(anyJson),
  found: z.array(anyJson),
  tokens: whole,
  explanation: z.array(anyJson),
  sources: z.array(anyJson),
  warnings: z.array(z.string()),
});

/** A model's price, in dollars per million tokens. */
const modelPriceShape = z.strictObject({
  model: z.string(),
  price: z
    .strictObject({ input: z.number(), cachedInput: z.number(), output: z.number(), listedAt: z.string().optional() })
    .nullable(),
});

const usageShape = z.strictObject({
  agents: whole,
  sharedWith: whole,
  conversations: whole,
  messages: whole,
  passages: whole,
  sources: whole,
});

export const recordRoutes = [
  route({
    method: "patch",
    path: "/agents/:agent/settings",
    summary: "Change settings of an agent",
    scope: "admin",
    params: agentPath,
    body: anyJson,
    output: agentShape,
    run: ({ runtime, params, body }) => runtime.agents.update(params.agent, body),
  }),
  route({
    method: "post",
    path: "/agents/:agent/imports",
    summary: "Import a JSON file of ChatGPT, Claude or mem0 into recall and the archive",
    scope: "admin",
    params: agentPath,
    isForm: true,
    body: z.strictObject({
      file: z.file(),
      form: z.enum(["chatgpt", "claude", "mem0"]).describe("The program that wrote the file."),
      dryRun: z.enum(["true", "false"]).describe("`true`: count, and store nothing.").optional(),
    }),
    output: recordShape(importReportFields),
    run: ({ runtime, params, body: { file, form, dryRun }, signal }) =>
      runtime.imports.run(params.agent, file.stream(), { form, dryRun: dryRun === "true", signal }),
  }),
  route({
    method: "post",
    path: "/sources/:source/files",
    summary: "Load a file into a source",
    scope: "admin",
    params: z.strictObject({ source: z.string().describe("The name or the id of a source.") }),
    isForm: true,
    body: z.strictObject({ file: z.file(), name: z.string().optional() }),
    status: 201,
    output: recordShape(loadedFields),
    run: async ({ runtime, params, body: { file, name } }) => {
      const { id } = await runtime.sources.show(params.source);
      const loaded = await runtime.sources.load(id, [{ name: name ?? file.name, data: file }]);
      const [failed] = loaded.failed;
      if (failed === undefined) return loaded;
      throw new Fault(422, "source_file_unreadable", `The file ${failed.name} cannot be read: ${failed.reason}.`);
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/tools",
    summary: "List the tools of an agent",
    scope: "read",
    params: agentPath,
    output: recordShape(agentToolsFields),
    run: async ({ runtime, params: { agent } }) => {
      const [builtIn, stored] = await Promise.all([runtime.tools.builtIn(agent), runtime.tools.ofAgent(agent)]);
      return { builtIn, stored };
    },
  }),
  route({
    method: "put",
    path: "/agents/:agent/tools/:tool",
    summary: "Attach a stored tool to an agent, and set whether its calls wait for approval",
    scope: "admin",
    params: agentPath.extend({ tool: z.string().describe("The name or the id of a stored tool.") }),
    body: z.strictObject({ requiresApproval: z.boolean().nullable().optional() }),
    output: z.strictObject({ isChanged: z.boolean() }),
    run: async ({ runtime, params: { agent, tool }, body: { requiresApproval } }) => {
      const isAttached = await runtime.tools.attach(agent, tool);
      if (requiresApproval !== undefined) await runtime.tools.setApproval(agent, tool, requiresApproval);
      return { isChanged: isAttached || requiresApproval !== undefined };
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/context",
    summary: "Search all of an agent's memory; the hits fit into maxTokens, each with its reason",
    scope: "read",
    params: agentPath,
    query: z.strictObject({
      query: z.string(),
      conversation: z.uuid().optional(),
      maxTokens: queryNumber.optional(),
    }),
    output: plannedContextShape,
    run: ({ runtime, params, query: { query, ...options } }) => runtime.getContext(params.agent, query, given(options)),
  }),
  route({
    method: "get",
    path: "/prices",
    summary:
      "Get the prices of models in dollars per million tokens: the configured price, or the list price with its date (`listedAt`); null for a model without a price",
    scope: "read",
    query: z.strictObject({ model: queryTexts }),
    output: z.array(modelPriceShape),
    run: async ({ runtime, query }) => query.model.map((model) => ({ model, price: runtime.models.priceOf(model) })),
  }),
  route({
    method: "get",
    path: "/usage",
    summary: "Get how much the user has stored; null if nothing is stored",
    scope: "read",
    output: usageShape.nullable(),
    run: ({ runtime }) => runtime.user.usage(),
  }),
] as const satisfies readonly Route[];
