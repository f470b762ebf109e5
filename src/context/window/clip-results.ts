// Clips tool results that exceed their share of the window.
// Invariant: a note in a clipped result says that it was clipped and how to read the rest; a surrogate pair is never split;
// everything else is unchanged.
import { takeCodePoints, codePointLength } from "../../base/code-points.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { Message, ToolResultPart } from "../../base/message/message.ts";
import type { WindowTurn, WindowTurns } from "./window-turns.ts";

export interface ClippedResult {
  readonly toolName: string;
  /** Tokens by which the result was shortened. */
  readonly tokens: number;
}

export interface ClippedTurn extends WindowTurn {
  /** Absent if nothing was clipped. */
  readonly clipped?: readonly ClippedResult[];
}

export interface ResultClipping {
  /** Maximum tokens of one result. */
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

/** Upper bound of the tokens of one UTF-16 unit, for every tokenizer. */
const maxTokensPerUnit = 4;

export interface ClippedTurns extends WindowTurns {
  readonly list: readonly ClippedTurn[];
}

/** Returns the turns with each result clipped to its share. */
export function clipTurns(turns: WindowTurns, clipping: ResultClipping): ClippedTurns {
  if (!mayBeLong(turns, clipping)) return turns;
  const list = turns.list.map((turn) => clipTurn(turn, clipping));
  const tokens = [0];
  for (const turn of list) tokens.push((tokens.at(-1) ?? 0) + turn.tokens);
  return { ...turns, list, tokens };
}

export function clipTurn(turn: WindowTurn, clipping: ResultClipping): ClippedTurn {
  if (!mayBeLong(turn, clipping)) return turn;
  const messages = turn.messages.map((message) => clipMessage(message, clipping));
  const clipped = messages.flatMap((one) => one.clipped);
  if (clipped.length === 0) return turn;
  return { ...turn, messages: messages.map(({ message }) => message), clipped, tokens: turn.tokens - sumOf(clipped) };
}

function mayBeLong({ maxResultLength }: Pick<WindowTurn, "maxResultLength">, { maxTokens }: ResultClipping): boolean {
  return maxResultLength * maxTokensPerUnit > maxTokens;
}

export interface WindowClipping extends ResultClipping {
  readonly render: (message: StoredMessage) => Message;
}

export function tokensInWindow(message: StoredMessage, { render, ...clipping }: WindowClipping): number {
  if (message.role !== "tool") return message.tokens;
  return message.tokens - sumOf(clipMessage(render(message), clipping).clipped);
}

interface ClippedMessage {
  readonly message: Message;
  readonly clipped: readonly ClippedResult[];
}

function clipMessage(message: Message, clipping: ResultClipping): ClippedMessage {
  if (message.role !== "tool" || !message.content.some((part) => isLong(part, clipping))) {
    return { message, clipped: [] };
  }
  const clipped: ClippedResult[] = [];
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || !isLong(part, clipping)) return part;
    const text = clipText(part, clipping);
    clipped.push({ toolName: part.name, tokens: clipping.count(part.text) - clipping.count(text) });
    return { ...part, text };
  });
  return { message: { ...message, content }, clipped };
}

function isLong(part: Message["content"][number], clipping: ResultClipping): boolean {
  if (part.type !== "tool-result" || !mayBeLong({ maxResultLength: part.text.length }, clipping)) return false;
  return clipping.count(part.text) > clipping.maxTokens;
}

function clipText({ text, name }: ToolResultPart, { maxTokens, count }: ResultClipping): string {
  const length = codePointLength(text);
  let kept = Math.floor((length * maxTokens) / count(text));
  for (;;) {
    const shown = wholeLines(takeCodePoints(text, kept));
    const clipped = `${shown}\n[Clipped: the first ${codePointLength(shown)} of ${length} characters are shown, because the window is full. To read the rest, ask ${name} for less at once.]`;
    if (kept === 0 || count(clipped) <= maxTokens) return clipped;
    kept = Math.floor(kept * 0.8);
  }
}

/**
 * Returns the text up to its last line break, to cut no line; the whole text if that would drop more than half of it.
 */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < text.length / 2 ? text : text.slice(0, end);
}

function sumOf(clipped: readonly ClippedResult[]): number {
  return clipped.reduce((sum, { tokens }) => sum + tokens, 0);
}
