// Makes a history valid for every provider: each tool call gets a result right after its message, and no result is an orphan.
// Invariant: nothing that was said is changed or left out; only missing results are added and orphan results dropped.
import { type Message, type ToolResultPart, toolCallsOf } from "../message.ts";

const missingResult = "No result was recorded: the call was interrupted, and it may or may not have had an effect.";

/** The history with its gaps closed. Messages that need no mending are returned as they are. */
export function completeToolCalls(messages: readonly Message[]): readonly Message[] {
  const completed: Message[] = [];
  let index = 0;
  while (index < messages.length) {
    const message = messages[index];
    index += 1;
    if (message === undefined || message.role === "tool") continue;
    completed.push(message);
    const calls = toolCallsOf(message);
    if (calls.length === 0) continue;
    const after = messages.findIndex((next, at) => at >= index && next.role !== "tool");
    const answers = messages.slice(index, after < 0 ? messages.length : after).flatMap(({ content }) => content);
    const results = new Map(
      answers.flatMap((part) => (part.type === "tool-result" ? [[part.callId, part] as const] : [])),
    );
    completed.push({
      role: "tool",
      content: calls.map(({ callId, name }) => results.get(callId) ?? lostResult(callId, name)),
    });
  }
  return completed;
}

function lostResult(callId: string, name: string): ToolResultPart {
  return { type: "tool-result", callId, name, status: "failed", text: missingResult };
}
