// Makes a history valid for every provider: each tool call gets a result right after its message, and no result is an orphan.
// Invariant: nothing that was said is changed or left out; only missing results are added and orphan results dropped.
import { type Message, type ToolResultPart, toolCallsOf } from "../../message/message.ts";

const missingResult = "No result was recorded: the call was interrupted, and it may or may not have had an effect.";

/** The history with its gaps closed; the results of one message stand in one message. Parts that were there are the same objects. */
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
  return { role: "tool", content: calls.map(({ callId, name }) => results.get(callId) ?? lostResult(callId, name)) };
}

function lostResult(callId: string, name: string): ToolResultPart {
  return { type: "tool-result", callId, name, status: "failed", text: missingResult };
}
