// Makes a history valid for every provider: each tool call gets a result directly after its message, and orphaned
// results are dropped.
// Invariant: texts are never changed or dropped; only missing results are added and orphaned results removed.
import { type Message, type ToolResultPart, toolCallsOf } from "../../base/message/message.ts";

const missingResult = "No result was recorded: the call was interrupted, and it may or may not have had an effect.";

/**
 * Returns the history with all gaps closed; the results of one message are in one message. Existing parts are the same
 * objects.
 */
export function completeToolCalls(messages: readonly Message[]): readonly Message[] {
  const completed: Message[] = [];
  let index = 0;
  while (index < messages.length) {
    const message = messages[index];
    index += 1;
    if (message === undefined || message.role === "tool") continue;
    completed.push(message);
    const end = endOfResults(messages, index);
    const calls = toolCallsOf(message);
    if (calls.length > 0) completed.push(resultsOf(calls, messages.slice(index, end)));
    index = end;
  }
  return completed;
}

function endOfResults(messages: readonly Message[], from: number): number {
  let end = from;
  while (messages[end]?.role === "tool") end += 1;
  return end;
}

function resultsOf(calls: ReturnType<typeof toolCallsOf>, answers: readonly Message[]): Message {
  const parts = answers.flatMap(({ content }) => content);
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.callId, part] as const] : [])));
  const entries = parts.filter(({ type }) => type === "state");
  return {
    role: "tool",
    content: [...calls.map(({ callId, name }) => results.get(callId) ?? lostResult(callId, name)), ...entries],
  };
}

function lostResult(callId: string, name: string): ToolResultPart {
  return { type: "tool-result", callId, name, status: "failed", text: missingResult };
}
