// Groups the messages of the window into turns, rendered and counted: a turn is kept or left out as a whole.
// Invariant: in a turn, every call is followed by its result and orphaned results are dropped, so the history is valid
// for every provider; no message is empty, and the token count is at least that of what is sent.
import { type Message, type StatePart, toolCallsOf, type ToolResultPart } from "../../base/message/message.ts";
import { countMessage, messageOverhead } from "../../model/tokens/token-counter.ts";
import type { RetrievedPart } from "../../store/port/context-report.ts";
import type { StateEntry, StoredMessage } from "../../store/port/records.ts";
import { escapeMessage } from "./escape-message.ts";
import { isSearchable, taggedEntry } from "./state-entries.ts";
import type { SearchableInView } from "./state-facts.ts";

export interface WindowTurn {
  readonly turnId: string;
  readonly messages: readonly Message[];
  /** Counted tokens, not calibrated. */
  readonly tokens: number;
  /** UTF-16 units of the turn's longest tool result. If it is short, nothing in the turn can need clipping. */
  readonly maxResultLength: number;
  readonly searchable: SearchableInView;
  /** The items retrieved for the turn's messages. */
  readonly found: readonly RetrievedPart[];
}

export interface TurnRendering {
  /** Renders a stored message for the prompt, by the protocol. Must be the same function object for the same rendering. */
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

/** Returns the turns in order; the rest of a turn that a compaction has cut counts as a turn. */
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

/** Returns these turns, followed by the turns of the messages after them. */
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
  // A result belongs to the turn of its call, also if it was stored under another turn.
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

/** Returns the cached turns of which all messages, and the message after them, are the same in `messages`. */
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
  if (!sent.some(hasCalls)) return { turnId, messages: sent, tokens, maxResultLength: 0, searchable, found };
  const messages = completeToolCalls(sent);
  // Stored messages have a token count; only the added results have none.
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

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function hasCalls({ role, content }: Message): boolean {
  return role === "tool" || content.some(({ type }) => type === "tool-call");
}

// A reply that was interrupted before its first word is empty, and providers refuse empty messages.
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
