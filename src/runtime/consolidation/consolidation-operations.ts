// Operations on consolidations: runs, lists, reviews and undoes them.
// Invariant: a refused request changes nothing.
import type { ConsolidationRecord } from "../../store/port/consolidation-store.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import type { ConsolidationOperations } from "./contract.ts";
import { requireConsolidation } from "./read-memory.ts";
import { applyOperations, byNumber, rejectOperations, undoConsolidation } from "./review-consolidation.ts";
import { type ConsolidationDeps, runConsolidation } from "./run-consolidation.ts";

const defaultListing = 20;

export function createConsolidationOperations(deps: ConsolidationDeps): ConsolidationOperations {
  const { store } = deps;
  return {
    run: async (name, { signal } = {}) => runConsolidation(deps, await findAgent(deps, name), { signal }),
    list: async (name, limit = defaultListing) => store.consolidations.list((await findReadable(deps, name)).id, limit),
    async find(id) {
      const { ranges: _ranges, version: _version, ...run } = await requireConsolidation(deps, id);
      return run;
    },
    async apply(id, { operations } = {}) {
      const run = await applyOperations(deps, id, { isChosen: byNumber(operations), isAuto: false });
      return embedded(deps, run);
    },
    reject: async (id, { operations } = {}) => rejectOperations(deps, id, byNumber(operations)),
    undo: async (id) => undoConsolidation(deps, id),
  };
}

/** Requests the vectors of the passages that a run added, and returns the run. */
async function embedded(deps: ConsolidationDeps, run: ConsolidationRecord): Promise<ConsolidationRecord> {
  deps.memories.archiveOf(await findAgent(deps, run.agentId)).embedPending();
  return run;
}
