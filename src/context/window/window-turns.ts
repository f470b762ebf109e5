// Groups the messages of the window into turns, renders and counts them, and clips tool results that exceed their share of
// the window. A turn is kept or left out as a whole.
// Invariant: in a turn, every call is followed by its result and orphaned results are dropped, so the history is valid for
// every provider; no message is empty, and the token count is at least that of what is sent. A note in a clipped result says
// that it was clipped and how to read the rest; a surrogate pair is never split.
import { codePointLength, takeCodePoints } from "../../base/code-points.ts";
import { type Message, type StatePart, toolCallsOf, type ToolResultPart } from "../../base/message/message.ts";
import { countMessage, messageOverhead } from "../../model/tokens/token-counter.ts";
import type { RetrievedPart } from "../../store/port/context-report.ts";
import type { StateEntry, StoredMessage } from "../../store/port/records.ts";
import { escapeMessage } from "../../base/message/reserved-tags.ts";
import { isSearchable, taggedEntry } from "./state-entries.ts";
import type { SearchableInView } from "./state-facts.ts";

export interface WindowTurn {
  readonly turnId: string;
  readonly messages: readonly Message[];
  /** Tokens as the runtime counts them, not corrected by the provider's reports. */
  readonly tokens: number;
  /** UTF-16 units of the turn's longest tool result. If it is short, nothing in the turn can need clipping. */
  readonly maxResultLength: number;
  readonly searchable: SearchableInView;
  /** The items retrieved for the turn's messages. */
  readonly found: readonly RetrievedPart[];
}

export interface TurnRendering {
  /** Renders a stored message for the prompt, by the protocol. Pass the same function object each time: it is a cache key. */
  readonly render: (message: StoredMessage) => Message;
  readonly count: (text: string) => number;
  /** The key that marks the state entries. */
  readonly stateKey: string;
}

/** Consecutive turns, oldest first, with prefix sums, so that totals need no loop over the turns. */
export interface WindowTurns {
  readonly list: readonly WindowTurn[];
  /** Tokens of the first n turns, from n = 0. */
  readonly tokens: readonly number[];
  /** Number of stored messages in the first n turns, from n = 0. */
  readonly stored: readonly number[];
  /** Upper bound of the length of a tool result in any of the turns, in UTF-16 units. */
  readonly maxResultLength: number;
}

/** Returns the turns in order. If a compaction has evicted a part of a turn, the rest counts as a turn. */
export function windowTurns(messages: readonly StoredMessage[], rendering: TurnRendering): WindowTurns {
  const [first] = messages;
  if (first === undefined) return noTurns;
  const windows = knownWindows(rendering.render);
  const { count, stateKey } = rendering;
  const latest = windows.get(first);
  const known = latest?.count === count && latest.stateKey === stateKey ? latest : undefined;
  if (known?.messages === messages) return known.turns;
  const turns = addTurns(unchangedTurns(known, messages), messages, rendering);
  windows.set(first, { messages, count, stateKey, turns });
  return turns;
}

const noTurns: WindowTurns = { list: [], tokens: [0], stored: [0], maxResultLength: 0 };

/** Returns the given turns, followed by the turns of the messages that come after them. */
function addTurns(turns: WindowTurns, messages: readonly StoredMessage[], rendering: TurnRendering): WindowTurns {
  const list = [...turns.list];
  const tokens = [...turns.tokens];
  const stored = [...turns.stored];
  let { maxResultLength } = turns;
  let from = stored.at(-1) ?? 0;
  while (from < messages.length) {
    const end = endOfTurn(messages, from);
    const turn = windowTurn(messages.slice(from, end), rendering);
    list.push(turn);
    tokens.push((tokens.at(-1) ?? 0) + turn.tokens);
    stored.push(end);
    maxResultLength = Math.max(maxResultLength, turn.maxResultLength);
    from = end;
  }
  return { list, tokens, stored, maxResultLength };
}

/** Returns the index after the last message of the turn that begins at `from`. */
export function endOfTurn(messages: readonly StoredMessage[], from: number): number {
  const turnId = messages[from]?.turnId;
  let end = from + 1;
  // A result belongs to the turn of its call, even if the result was stored under another turn.
  while (end < messages.length && (messages[end]?.role === "tool" || messages[end]?.turnId === turnId)) end += 1;
  return end;
}

interface KnownWindow extends Pick<TurnRendering, "count" | "stateKey"> {
  readonly messages: readonly StoredMessage[];
  readonly turns: WindowTurns;
}

type KnownWindows = WeakMap<StoredMessage, KnownWindow>;

// Turns are cached by rendering function and by the window's first message. Stored messages never change, so each turn
// is rendered and counted once until a compaction, and a window of a thousand turns costs little more than a short one.
const windowsByRendering = new WeakMap<TurnRendering["render"], KnownWindows>();

function knownWindows(render: TurnRendering["render"]): KnownWindows {
  const known: KnownWindows = windowsByRendering.get(render) ?? new WeakMap();
  windowsByRendering.set(render, known);
  return known;
}

/** Returns the cached turns that are still valid: their messages, and the message after them, are the same in `messages`. */
function unchangedTurns(known: KnownWindow | undefined, messages: readonly StoredMessage[]): WindowTurns {
  if (known === undefined) return noTurns;
  const { list, tokens, stored, maxResultLength } = known.turns;
  let same = 0;
  while (same < messages.length && messages[same] === known.messages[same]) same += 1;
  let count = list.length - 1;
  while (count > 0 && (stored[count] ?? 0) >= same) count -= 1;
  return {
    list: list.slice(0, count),
    tokens: tokens.slice(0, count + 1),
    stored: stored.slice(0, count + 1),
    maxResultLength,
  };
}

function windowTurn(stored: readonly StoredMessage[], { render, count, stateKey }: TurnRendering): WindowTurn {
  const entries: string[] = [];
  const sent = stored
    .map((message) => {
      const shown = withoutBlankText(escapeMessage(render(message)));
      const parts = stateParts(message.stated, stateKey);
      if (parts.length === 0) return shown;
      for (const { text } of parts) entries.push(text);
      return { ...shown, content: [...shown.content, ...parts] };
    })
    .filter(({ content }) => content.length > 0);
  const turnId = stored[0]?.turnId ?? "";
  const tokens =
    stored.reduce((sum, message) => sum + message.tokens, 0) +
    sumOf(entries.map((text) => messageOverhead + count(text)));
  const visible = stored.filter(isSearchable);
  const searchable = { count: visible.length, firstAt: visible[0]?.at ?? null };
  const found = stored.flatMap(({ stated }) => stated?.found?.parts ?? []);
  if (!sent.some(({ role, content }) => role === "tool" || content.some(({ type }) => type === "tool-call")))
    return { turnId, messages: sent, tokens, maxResultLength: 0, searchable, found };
  const messages = completeToolCalls(sent);
  // Stored messages come with a token count, so only the results added by `completeToolCalls` are counted here.
  const known = new Set(sent.flatMap(({ content }) => content));
  const added = messages.flatMap(({ content }) => content.filter((part) => !known.has(part)));
  const addedTokens =
    added.length === 0 ? 0 : countMessage({ count, countFile: () => 0 }, { role: "tool", content: added });
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  const maxResultLength = results.reduce((longest, { text }) => Math.max(longest, text.length), 0);
  return { turnId, messages, tokens: tokens + addedTokens, maxResultLength, searchable, found };
}

function stateParts({ text, found }: StateEntry = {}, stateKey: string): readonly StatePart[] {
  return [
    ...(found === undefined ? [] : [{ type: "state", text: found.text, isMaterial: true } as const]),
    ...(text === undefined ? [] : [{ type: "state", text: taggedEntry(stateKey, text) } as const]),
  ];
}

/** Returns the index of the oldest turn that fits together with all later turns before `to`; `to` if no turn fits. */
export function firstThatFits(
  tokensAt: (index: number) => number,
  { from, to, room }: { readonly from: number; readonly to: number; readonly room: number },
): number {
  let first = to;
  let left = room;
  while (first > from && tokensAt(first - 1) <= left) {
    first -= 1;
    left -= tokensAt(first);
  }
  return first;
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

// Drops blank texts, which providers refuse: a reply that was interrupted before its first word has one.
function withoutBlankText(message: Message): Message {
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return content.length === message.content.length ? message : { ...message, content };
}

const missingResult = "No result was recorded: the call was interrupted, and it may or may not have had an effect.";

/**
 * Returns the messages with a result for every call; all results for the calls of one message are in one message.
 * Existing parts stay the same objects.
 */
function completeToolCalls(messages: readonly Message[]): readonly Message[] {
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

/** Returns the turns, with each tool result clipped to the maximum (`maxTokens`). */
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
  return {
    ...turn,
    messages: messages.map(({ message }) => message),
    clipped,
    tokens: turn.tokens - tokensOf(clipped),
  };
}

function mayBeLong({ maxResultLength }: Pick<WindowTurn, "maxResultLength">, { maxTokens }: ResultClipping): boolean {
  return maxResultLength * maxTokensPerUnit > maxTokens;
}

export interface WindowClipping extends ResultClipping {
  readonly render: (message: StoredMessage) => Message;
}

export function tokensInWindow(message: StoredMessage, { render, ...clipping }: WindowClipping): number {
  if (message.role !== "tool") return message.tokens;
  return message.tokens - tokensOf(clipMessage(render(message), clipping).clipped);
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

/** Returns the text up to its last line break, to cut no line; the whole text if that would drop more than half of it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < text.length / 2 ? text : text.slice(0, end);
}

function tokensOf(clipped: readonly ClippedResult[]): number {
  return sumOf(clipped.map(({ tokens }) => tokens));
}
