// Clips tool results that would take more of the window than their share.
// Invariant: what is clipped says so, and how to read the rest; a surrogate pair is never cut; everything else stays as it is.
import { takeCodePoints, codePointLength } from "../base/code-points.ts";
import type { Message, ToolResultPart } from "../message.ts";
import type { WindowTurn } from "./window-turns.ts";

export interface ClippedTurn extends WindowTurn {
  /** Absent when nothing was clipped. */
  readonly clipped?: readonly { readonly toolName: string; readonly tokens: number }[];
}

/** No tokenizer makes more tokens than this of a UTF-16 unit. */
const mostTokensPerUnit = 4;

/** The turn with no result of more than so many tokens. */
export function clipResults(turn: WindowTurn, mostTokens: number, count: (text: string) => number): ClippedTurn {
  if (turn.longestResult * mostTokensPerUnit <= mostTokens) return turn;
  const clipped: { toolName: string; tokens: number }[] = [];
  const messages = turn.messages.map((message): Message => {
    if (message.role !== "tool" || !message.content.some((part) => isLong(part, mostTokens, count))) return message;
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || !isLong(part, mostTokens, count)) return part;
      const text = clipText(part, mostTokens, count);
      clipped.push({ toolName: part.name, tokens: count(part.text) - count(text) });
      return { ...part, text };
    });
    return { ...message, content };
  });
  if (clipped.length === 0) return turn;
  const less = clipped.reduce((sum, { tokens }) => sum + tokens, 0);
  return { ...turn, messages, clipped, tokens: turn.tokens - less };
}

function isLong(part: Message["content"][number], mostTokens: number, count: (text: string) => number): boolean {
  if (part.type !== "tool-result" || part.text.length * mostTokensPerUnit <= mostTokens) return false;
  return count(part.text) > mostTokens;
}

function clipText({ text, name }: ToolResultPart, mostTokens: number, count: (text: string) => number): string {
  const length = codePointLength(text);
  let kept = Math.floor((length * mostTokens) / count(text));
  for (;;) {
    const clipped = `${takeCodePoints(text, kept)}\n[Clipped: the first ${kept} of ${length} characters are shown, because the window is full. To read the rest, call ${name} again for a smaller part.]`;
    if (kept === 0 || count(clipped) <= mostTokens) return clipped;
    kept = Math.floor(kept * 0.8);
  }
}
