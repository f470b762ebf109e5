// Tool calls that wait for approval, as people and programs look for them, outside of a turn.
// Invariant: what is listed can be decided about: an expired or removed call is left out.
import { isExpired } from "../agent/approval/call-approvals.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

export function createApprovalOperations(deps: Pick<OperationDeps, "store" | "clock">): Runtime["approvals"] {
  return {
    async list(name) {
      const agent = await findAgent(deps, name);
      const waiting = await deps.store.approvals.waiting(agent.id);
      const now = deps.clock.now();
      return waiting.filter((approval) => !isExpired(approval, now));
    },
  };
}
