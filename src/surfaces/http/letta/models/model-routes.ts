// Routes of `/v1` about the models and embedders that agents can have.
import * as z from "zod";
import { route, type Route } from "../../route.ts";
import { queryTexts } from "../page-query.ts";
import { embedderShape, modelShape, shownEmbedder, shownModel } from "./shown-model.ts";

const modelQuery = z.object({
  provider_name: z.string().optional(),
  provider_type: z.string().optional(),
  provider_category: queryTexts.optional(),
});

export const modelRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/models",
    summary: "List the models",
    scope: "read",
    query: modelQuery,
    output: z.array(modelShape),
    run: async ({ runtime, query }) => {
      const { models } = await runtime.models.list();
      const wanted = query.provider_name ?? query.provider_type;
      const isBase = query.provider_category?.includes("base") ?? true;
      const shown = isBase ? models.map(shownModel) : [];
      return shown.filter(({ provider_type: provider }) => wanted === undefined || provider === wanted);
    },
  }),
  route({
    method: "get",
    path: "/models/embedding",
    summary: "List the embedding models",
    scope: "read",
    output: z.array(embedderShape),
    run: async ({ runtime }) => (await runtime.models.embedders()).map(shownEmbedder),
  }),
];
