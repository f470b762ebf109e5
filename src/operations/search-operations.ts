// Recall as people and programs search it, outside of a turn.
// Invariant: what is found here is what the model's tools find.
import { createRecallSearch, searchPageSize } from "../memory/recall/recall-search.ts";
import type { RecallOptions, Runtime } from "../runtime.ts";
import { findAgent, type OperationParts } from "./operation-parts.ts";

export function createRecallOperations(parts: OperationParts): Runtime["recall"] {
  const recallOf = async (name: string, { pageSize = searchPageSize, includeAbandoned = false }: RecallOptions) => {
    const { id: agentId, settings } = await findAgent(parts, name);
    return createRecallSearch(parts.store.recall, {
      agentId,
      timeZone: settings.timeZone,
      pageSize,
      includeAbandoned,
    });
  };
  return {
    search: async (name, query, options = {}) => (await recallOf(name, options)).search(query, options.page ?? 0),
    searchDate: async (name, { start, end }, options = {}) =>
      (await recallOf(name, options)).searchDate(start, end, options.page ?? 0),
  };
}
