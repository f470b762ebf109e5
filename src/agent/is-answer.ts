// Decides whether a reply with calls is the answer that ends its turn: one with text, of which all calls have edited memory.
// Invariant: reads stored messages only, so a turn that is resumed ends where it would have ended.
import type { StoredMessage } from "../memory/records.ts";
import { textOf, toolCallsOf } from "../message/message.ts";
import { isConfirmed } from "./approval/clear-call.ts";
import type { AgentDeps } from "./turn.ts";

type AnswerDeps = Pick<AgentDeps, "agent" | "session" | "protocol" | "toolsFor" | "output">;

/**
 * Returns false for a reply without calls. Where the answer has a form, a text beside calls is not the answer: it seldom has the form.
 */
export function isAnswer(deps: AnswerDeps, message: StoredMessage): boolean {
  const { session, protocol, output } = deps;
  const calls = toolCallsOf(message);
  if (protocol.plainText !== "text" || output !== undefined || message.status === "interrupted") return false;
  if (calls.length === 0 || textOf(message).trim() === "") return false;
  const after = session.messages.slice(session.messages.findIndex(({ id }) => id === message.id) + 1);
  const results = after.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  return calls.every((call) => {
    const result = results.find(({ callId }) => callId === call.callId);
    return result !== undefined && isConfirmed(deps, call, result);
  });
}
