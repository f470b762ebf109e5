// Holds the requests of the calls at the end of an open conversation: the approvals, results and replies for which the
// calls wait, and the decisions about them.
// Invariant: the held requests match the store: they are loaded with the thread and change only after a commit.
import { findOpenCalls } from "../../context/window/unfinished-turn.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type {
  ApprovalDecision,
  ApprovalStore,
  CallReference,
  ApprovalRecord,
} from "../../store/port/approval-store.ts";
import type { EventBatch } from "../../store/port/turn-store.ts";
import type { HeldLease } from "../lease/held-lease.ts";

export interface CallApprovals {
  /** Loads the approvals of the calls at the end of this thread. */
  load(messages: readonly StoredMessage[]): Promise<void>;
  /** Returns the request that was stored for a call, with its decision if there is one; null if nothing was requested. */
  find(call: Pick<CallReference, "messageId" | "callId">): ApprovalRecord | null;
  /** Returns the calls at the end of this thread that wait, even expired ones, in their order. */
  waiting(messages: readonly StoredMessage[]): readonly ApprovalRecord[];
  /** Returns the tool's definition at the user's last approval of one of its calls; null if none is known. */
  lastDefinition(toolName: string): Promise<string | null>;
  /** Stores the requests for all of these calls or for none, together with these events. */
  request(calls: readonly ApprovalRecord[], events: EventBatch | null): Promise<void>;
  /** Stores a decision. Throws RequestError `approval_not_found` if another process has already decided. */
  decide(approval: ApprovalRecord, decision: ApprovalDecision): Promise<void>;
}

/** Returns a CallApprovals that is empty until `load` is called. Its writes require the held lease. */
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
    waiting(messages) {
      const open = findOpenCalls(messages);
      if (open === null) return [];
      const asked = open.calls.map(({ callId }) => find({ messageId: open.message.id, callId }));
      return asked.filter(
        (approval) => approval !== null && (approval.decision === null || approval.awaits === "reply"),
      ) as readonly ApprovalRecord[];
    },
    lastDefinition: (toolName) => store.lastDefinition(toolName),
    async request(calls, events) {
      await store.request(lease.current, calls, events);
      calls.forEach(set);
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
