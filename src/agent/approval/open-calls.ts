// Finds what a turn left open at the end of a conversation's thread: calls without a result, or an input without a
// reply. Holds what these calls wait for (an approval, a result or a reply), and the user's decisions.
// Invariant: what is open is derived from the messages only, so it is found after every kind of interruption. The held
// requests match the store: they are loaded with the thread and change only after a commit.
import { type ToolCallPart, toolCallsOf } from "../../base/message/message.ts";
import type {
  ApprovalDecision,
  ApprovalStore,
  CallReference,
  ApprovalRecord,
} from "../../store/port/approval-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { EventBatch } from "../../store/port/turn-store.ts";
import type { HeldLease } from "../lease/held-lease.ts";

export interface OpenCalls {
  /** The assistant message that contains the calls. */
  readonly message: StoredMessage;
  /** Calls without a result, in order. */
  readonly calls: readonly ToolCallPart[];
}

/** Whether a message is an input of the user or the program. An event also has the role `user`, but is not an input. */
export function isInput({ role, kind }: StoredMessage): boolean {
  return role === "user" && kind !== "event";
}

/** Returns the calls at the end of the thread that have no result; null for none. Ignores calls in event messages. */
export function findOpenCalls(messages: readonly StoredMessage[]): OpenCalls | null {
  const last = messages.findLastIndex((message) => message.role !== "tool");
  const message = messages[last];
  if (message === undefined || message.kind === "event") return null;
  const answered = answeredBy(messages.slice(last + 1));
  const calls = toolCallsOf(message).filter(({ callId }) => !answered.has(callId));
  return calls.length === 0 ? null : { message, calls };
}

/** How the thread ends, apart from events of the runtime after the last input or reply. */
export type ThreadEnd =
  | { readonly type: "empty" | "reply" }
  /** The user's message has no reply. */
  | { readonly type: "input" }
  /** The last reply has calls, of which some may have failed and some may have no result yet. */
  | { readonly type: "calls"; readonly calls: readonly ToolCallPart[]; readonly someFailed: boolean };

export function threadEnd(messages: readonly StoredMessage[]): ThreadEnd {
  const end = messages.findLastIndex((message) => message.role !== "user" || isInput(message));
  const withoutEvents = messages.slice(0, end + 1);
  const last = withoutEvents.findLastIndex((message) => message.role !== "tool");
  const message = withoutEvents[last];
  if (message === undefined) return { type: "empty" };
  if (message.role === "user") return { type: "input" };
  const calls = toolCallsOf(message);
  if (calls.length === 0) return { type: "reply" };
  const results = withoutEvents.slice(last + 1).flatMap(({ content }) => content);
  const someFailed = results.some((part) => part.type === "tool-result" && part.status === "failed");
  return { type: "calls", calls, someFailed };
}

function answeredBy(messages: readonly StoredMessage[]): ReadonlySet<string> {
  const parts = messages.flatMap(({ content }) => content);
  return new Set(parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])));
}

export interface CallApprovals {
  /** Loads the approvals of the calls at the end of this thread. */
  load(messages: readonly StoredMessage[]): Promise<void>;
  /** Returns the request that was stored for a call, with its decision if there is one; null if nothing was requested. */
  find(call: Pick<CallReference, "messageId" | "callId">): ApprovalRecord | null;
  /** Returns the waiting calls at the end of this thread in their order, including calls whose time for a decision is over. */
  waiting(messages: readonly StoredMessage[]): readonly ApprovalRecord[];
  /** Returns the tool's definition at the user's last approval of one of its calls; null if none is known. */
  lastDefinition(toolName: string): Promise<string | null>;
  /** Stores what these calls wait for, and the events, in one commit. */
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
