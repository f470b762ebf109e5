// What a person is told when a request cannot be made, because what must be in it is longer than the window.
// Invariant: it names the part that is too long, how long it is, how long it might be, and what to do about it.
import type { WindowOverflow } from "../memory/context-report.ts";

const advice: Readonly<Record<WindowOverflow["part"], readonly [name: string, advice: string]>> = {
  turn: ["This turn alone", "Take the long message back with /pop"],
  coreMemory: ["Core memory", "Shorten its sections (`palimpsest memory set`)"],
  synopsis: ["The synopsis", "Turn it off (`palimpsest agents set synopsis off`)"],
  changes: ["What has changed in core memory", "Shorten its sections (`palimpsest memory set`)"],
  instructions: ["The system prompt", "Shorten it"],
  tools: ["The description of the tools", "Give the agent fewer tools"],
};

export function overflowMessage({ part, tokens, budget }: WindowOverflow): string {
  const [name, remedy] = advice[part];
  return `${name} takes ${tokens} tokens, and the context window has room for ${budget}. ${remedy}, or give the agent a larger window.`;
}
