// Retention on request: applies an agent's limits now, and lists what was dropped.
// Invariant: each run is recorded as a sweep.
import type { Runtime } from "../runtime.ts";
import { findAgent, findReadable } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { sweepAll } from "./retention-sweep.ts";

type RetentionDeps = Pick<OperationDeps, "store" | "defaults" | "ids" | "clock" | "log">;

export function createRetentionOperations(deps: RetentionDeps): Runtime["retention"] {
  return {
    apply: async (name) => sweepAll(deps, await findAgent(deps, name)),
    list: async (name, limit = 20) => deps.store.retention.list((await findReadable(deps, name)).id, limit),
  };
}
