// Tool calls that wait for approval, as people and programs look for them, outside of a turn.
// Invariant: what is listed can be decided about: what has expired or was taken back is left out.
import { isExpired } from "../agent/approval/call-approvals.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationParts } from "./operation-parts.ts";

export function createApprovalOperations(parts: OperationParts): Runtime["approvals"] {
  return {
    async list(name) {
      const agent = await findAgent(parts, name);
      const waiting = await parts.store.approvals.waiting(agent.id);
      const now = parts.clock.now();
      return waiting.filter((approval) => !isExpired(approval, now));
    },
  };
}
