// Finds what an interrupted turn left in the thread: calls without a result, or an input without a reply.
// Invariant: pure; derived from the messages only, so it works for every kind of interruption.
import type { StoredMessage } from "../../store/port/records.ts";
import { type ToolCallPart, toolCallsOf } from "../../base/message/message.ts";

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

/** How the thread ends, ignoring the runtime's own events at its end. */
export type ThreadEnd =
  | { readonly type: "empty" | "reply" }
  /** The user's message has no reply. */
  | { readonly type: "input" }
  /** The last reply has calls, some of which may have failed or have no result yet. */
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
