// Holds the approvals of the calls at the end of an open conversation: requested, waiting and decided.
// Invariant: matches the store: it is loaded with the thread and changes only after a commit.
import { findOpenCalls } from "../../context/window/unfinished-turn.ts";
import type { ApprovalDecision, ApprovalRecord, StoredMessage } from "../../memory/records.ts";
import type { ApprovalStore, CallReference } from "../../memory/store.ts";
import type { HeldLease } from "../lease/held-lease.ts";

export interface CallApprovals {
  /** Loads the approvals of the calls at the end of this thread. */
  load(messages: readonly StoredMessage[]): Promise<void>;
  /** Returns the approval of a call; null if none was requested. */
  find(call: Pick<CallReference, "messageId" | "callId">): ApprovalRecord | null;
  /** Returns the call at the end of this thread that waits for a decision, even an expired one; null if none waits. */
  findWaiting(messages: readonly StoredMessage[]): ApprovalRecord | null;
  request(approval: Omit<ApprovalRecord, "decision">): Promise<ApprovalRecord>;
  /** Throws RequestError `approval_not_found` if another process has already decided. */
  decide(approval: ApprovalRecord, decision: ApprovalDecision): Promise<void>;
}

/** Empty until `load`. Writes under the held lease. */
export function createCallApprovals(store: ApprovalStore, lease: Pick<HeldLease, "current">): CallApprovals {
  let known: readonly ApprovalRecord[] = [];
  const find: CallApprovals["find"] = ({ messageId, callId }) =>
    known.find((approval) => approval.messageId === messageId && approval.callId === callId) ?? null;
  const set = (approval: ApprovalRecord): void => {
    known = [...known.filter((other) => other !== find(approval)), approval];
  };
  return {
    find,
    async load(messages) {
      const open = findOpenCalls(messages);
      known = open === null ? [] : await store.ofMessage(open.message.id);
    },
    findWaiting(messages) {
      const open = findOpenCalls(messages);
      if (open === null) return null;
      const asked = open.calls.map(({ callId }) => find({ messageId: open.message.id, callId }));
      return asked.find((approval) => approval !== null && approval.decision === null) ?? null;
    },
    async request(approval) {
      await store.request(lease.current, approval);
      const waiting = { ...approval, decision: null };
      set(waiting);
      return waiting;
    },
    async decide(approval, decision) {
      await store.decide(lease.current, approval, decision);
      set({ ...approval, decision });
    },
  };
}

/** Returns whether the time for a decision is over. */
export function isExpired({ expiresAt }: ApprovalRecord, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= expiresAt.getTime();
}
