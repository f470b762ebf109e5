// Lists the tool calls that wait for approval, outside of a turn.
// Invariant: every listed call can be decided about: expired and removed calls are left out.
import { isExpired } from "../../agent/approval/call-approvals.ts";
import type { Runtime } from "../runtime.ts";
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
