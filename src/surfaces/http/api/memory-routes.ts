// Routes of `/api` about recall, archival memory, and forgetting.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import {
  agentPath,
  given,
  listQuery,
  passageBody,
  pageQuery,
  queryFlag,
  queryNumber,
  queryTexts,
} from "./parameters.ts";
import { addedPassageShape, forgetPreviewShape, forgottenShape, passageShape, searchShape, whole } from "./shapes.ts";
import { requireFound } from "./found.ts";
import { sentDay } from "../wire-time.ts";

const forgetRequest = z.strictObject({
  texts: z.array(z.string()).optional(),
  messages: z.array(z.uuid()).optional(),
  passages: z.array(z.uuid()).optional(),
  exact: z.boolean().optional(),
});

export const memoryRoutes = [
  route({
    method: "get",
    path: "/agents/:agent/recall",
    summary: "Search all messages, with the reason for each hit",
    scope: "read",
    params: agentPath,
    query: pageQuery.extend({
      query: z.string(),
      start: sentDay().optional(),
      end: sentDay().optional(),
      neighbours: queryNumber.optional(),
      includeAbandoned: queryFlag.optional(),
    }),
    output: searchShape,
    run: ({ runtime, params, query: { query, ...options } }) =>
      runtime.recall.search(params.agent, query, given(options)),
  }),
  route({
    method: "get",
    path: "/agents/:agent/archive",
    summary: "List the passages of archival memory",
    scope: "read",
    params: agentPath,
    query: listQuery,
    output: z.array(passageShape),
    run: ({ runtime, params, query }) => runtime.archival.list(params.agent, given(query)),
  }),
  route({
    method: "get",
    path: "/agents/:agent/archive/count",
    summary: "Count the passages of archival memory",
    scope: "read",
    params: agentPath,
    output: z.strictObject({ passages: whole }),
    run: async ({ runtime, params }) => ({ passages: await runtime.archival.count(params.agent) }),
  }),
  route({
    method: "get",
    path: "/agents/:agent/archive/search",
    summary: "Search archival memory and attached sources, with the reason for each hit",
    scope: "read",
    params: agentPath,
    query: pageQuery.extend({ query: z.string(), tags: queryTexts.optional(), allTags: queryTexts.optional() }),
    output: searchShape,
    run: ({ runtime, params, query: { query, ...options } }) =>
      runtime.archival.search(params.agent, query, given(options)),
  }),
  route({
    method: "post",
    path: "/agents/:agent/archive",
    summary: "Add a passage to archival memory",
    scope: "chat",
    params: agentPath,
    body: passageBody,
    status: 201,
    output: addedPassageShape,
    run: ({ runtime, params, body: { text, ...options } }) => runtime.archival.add(params.agent, text, given(options)),
  }),
  route({
    method: "put",
    path: "/agents/:agent/archive/:passage/tags",
    summary: "Replace the tags of a passage",
    scope: "chat",
    params: agentPath.extend({ passage: z.uuid() }),
    body: z.strictObject({ tags: z.array(z.string()) }),
    output: null,
    run: async ({ runtime, params, body }) => {
      const isFound = await runtime.archival.setTags(params.agent, params.passage, body.tags);
      return requireFound(isFound, "passage_not_found", "passage");
    },
  }),
  route({
    method: "delete",
    path: "/agents/:agent/archive/:passage",
    summary: "Delete a passage",
    scope: "chat",
    params: agentPath.extend({ passage: z.uuid() }),
    output: null,
    run: async ({ runtime, params }) =>
      requireFound(await runtime.archival.delete(params.agent, params.passage), "passage_not_found", "passage"),
  }),
  route({
    method: "post",
    path: "/forget/preview",
    summary: "List every place that holds a text, without changing any",
    scope: "admin",
    body: forgetRequest,
    output: forgetPreviewShape,
    run: ({ runtime, body }) => runtime.forget.preview(given(body)),
  }),
  route({
    method: "post",
    path: "/forget",
    summary: "Remove a text from every place, permanently",
    scope: "admin",
    body: forgetRequest,
    output: forgottenShape,
    run: ({ runtime, body }) => runtime.forget.apply(given(body), { origin: "api" }),
  }),
] as const satisfies readonly Route[];
