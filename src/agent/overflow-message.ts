// The error message for a request that cannot be made because a required part exceeds the window.
// Invariant: the message names the part, its tokens, the tokens available, and what to do.
import type { WindowOverflow } from "../store/port/context-report.ts";

const advice: Readonly<Record<WindowOverflow["part"], readonly [name: string, advice: string]>> = {
  turn: ["This turn alone", "Remove the long message with `agent.pop()`"],
  coreMemory: ["Core memory", "Shorten its modules (`runtime.memory.set()`)"],
  synopsis: ["The synopsis", "Turn it off (the setting `synopsis`)"],
  openFiles: ["The open files", "Open fewer lines"],
  instructions: ["The system prompt", "Shorten it"],
  tools: ["The list of tools", "Give the agent fewer tools"],
};

export function overflowMessage({ part, tokens, budget }: WindowOverflow): string {
  const [name, remedy] = advice[part];
  return `${name} takes ${tokens} tokens, and the context window has room for ${budget}. ${remedy}, or give the agent a larger window.`;
}
