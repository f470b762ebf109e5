// Operations that search recall outside of a turn.
// Invariant: searches find what the model's tools find.
import { RequestError } from "../../base/errors.ts";
import { createRecallSearch, searchPageSize } from "../../memory/recall/recall-search.ts";
import type { RecallOperations, RecallSearchOptions } from "./contract.ts";
import { findReadable } from "../agents/find-agent.ts";
import { meaningDeps } from "../operations/agent-memories.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type RecallDeps = Pick<OperationDeps, "store" | "defaults" | "embedders" | "reranker" | "backFill" | "log">;

export function createRecallOperations(deps: RecallDeps): RecallOperations {
  const recallOf = async (name: string, options: RecallSearchOptions) => {
    const { pageSize = searchPageSize, includeAbandoned = false, weights = {}, start, end } = options;
    requireWhole(options);
    const { id: agentId, settings } = await findReadable(deps, name);
    const days = { start, end };
    const scope = { agentId, timeZone: settings.timeZone, pageSize, includeAbandoned, weights, days };
    return createRecallSearch(deps.store.recall, { ...scope, ...meaningDeps(deps, agentId) });
  };
  return {
    search: async (name, query, options = {}) =>
      (await recallOf(name, options)).search(query, options.page ?? 0, { neighbours: options.neighbours ?? 0 }),
    searchDate: async (name, { start, end }, options = {}) =>
      (await recallOf(name, options)).searchDate(start, end, options.page ?? 0, {
        neighbours: options.neighbours ?? 0,
      }),
  };
}

/** Maximum number of neighbours per hit. `conversations.history` reads longer ranges. */
const maxNeighbours = 100;

function requireWhole({ neighbours = 0, weights = {} }: RecallSearchOptions): void {
  if (!Number.isInteger(neighbours) || neighbours < 0 || neighbours > maxNeighbours) {
    throw new RequestError(
      "input_invalid",
      `Expected \`neighbours\` to be a whole number from 0 to ${maxNeighbours}, got ${String(neighbours)}.`,
    );
  }
  for (const [name, weight] of Object.entries(weights)) {
    if (typeof weight === "number" && Number.isFinite(weight) && weight >= 0) continue;
    throw new RequestError(
      "input_invalid",
      `Expected the weight \`${name}\` to be a number of at least 0, got ${String(weight)}.`,
    );
  }
}
