// Routes of `/api` about contexts, prices and usage.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { agentPath, given, queryNumber, queryTexts } from "./parameters.ts";
import { whole } from "./form-shapes.ts";

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
    method: "get",
    path: "/agents/:agent/context",
    summary: "Get what memory has for a query, within a number of tokens, with the reason for each hit",
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
      "Get the prices of models, in dollars per million tokens: the configured one, or the list price of a day (`listedAt`); null for none",
    scope: "read",
    query: z.strictObject({ model: queryTexts }),
    output: z.array(modelPriceShape),
    run: async ({ runtime, query }) => query.model.map((model) => ({ model, price: runtime.models.priceOf(model) })),
  }),
  route({
    method: "get",
    path: "/usage",
    summary: "Get how much the user has stored; null for nothing yet",
    scope: "read",
    output: usageShape.nullable(),
    run: ({ runtime }) => runtime.user.usage(),
  }),
] as const satisfies readonly Route[];
