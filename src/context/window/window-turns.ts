// Groups the messages of the window into turns, rendered and counted: a turn is kept or left out as a whole.
// Invariant: in a turn, every call is followed by its result, no message is empty, and the token count is at least that
// of what is sent.
import type { StoredMessage } from "../../memory/records.ts";
import type { Message } from "../../message/message.ts";
import { countMessage } from "../../tokens/count-message.ts";
import { completeToolCalls } from "./complete-tool-calls.ts";
import { escapeMessage } from "./escape-message.ts";

export interface WindowTurn {
  readonly turnId: string;
  readonly messages: readonly Message[];
  /** Counted tokens, not calibrated. */
  readonly tokens: number;
  /** Number of stored messages in the turn. */
  readonly stored: number;
  /** UTF-16 units of its longest tool result: turns without a long one need no check of each part. */
  readonly maxResultLength: number;
}

export interface TurnRendering {
  /**
   * Renders a stored message for the prompt, by the protocol. Must be the same function object for the same rendering.
   */
  readonly render: (message: StoredMessage) => Message;
  readonly count: (text: string) => number;
}

/** Returns the turns in order; the rest of a turn that a compaction has cut is a turn too. */
export function windowTurns(messages: readonly StoredMessage[], rendering: TurnRendering): readonly WindowTurn[] {
  const known = knownTurns(rendering.render);
  const turns: WindowTurn[] = [];
  let end = 0;
  for (let from = 0; from < messages.length; from = end) {
    end = endOfTurn(messages, from);
    turns.push(knownTurn(known, messages, from, end) ?? newTurn(known, messages.slice(from, end), rendering));
  }
  return turns;
}

/** Returns the index after the last message of the turn that begins at `from`. */
function endOfTurn(messages: readonly StoredMessage[], from: number): number {
  const turnId = messages[from]?.turnId;
  let end = from + 1;
  // A result belongs to its call, whatever turn it was stored under.
  while (end < messages.length && (messages[end]?.role === "tool" || messages[end]?.turnId === turnId)) end += 1;
  return end;
}

interface KnownTurn {
  readonly stored: readonly StoredMessage[];
  readonly turn: WindowTurn;
}

type KnownTurns = WeakMap<StoredMessage, KnownTurn>;

// Cached by rendering function and by the first message of a turn. Stored messages never change, so each turn is
// rendered once, and a window of a thousand turns costs little more than a short one.
const turnsByRendering = new WeakMap<TurnRendering["render"], KnownTurns>();

function knownTurns(render: TurnRendering["render"]): KnownTurns {
  const known: KnownTurns = turnsByRendering.get(render) ?? new WeakMap();
  turnsByRendering.set(render, known);
  return known;
}

/** Returns the cached turn of exactly these messages; undefined if there is none. */
function knownTurn(
  known: KnownTurns,
  messages: readonly StoredMessage[],
  from: number,
  end: number,
): WindowTurn | undefined {
  const before = known.get(messages[from] as StoredMessage);
  if (before?.stored.length !== end - from) return undefined;
  return before.stored.every((message, at) => message === messages[from + at]) ? before.turn : undefined;
}

function newTurn(known: KnownTurns, stored: readonly StoredMessage[], rendering: TurnRendering): WindowTurn {
  const [first] = stored as readonly [StoredMessage];
  const { turn, isComplete } = windowTurn(stored, rendering);
  // A repaired turn is not cached: its missing results will soon be stored.
  if (isComplete) known.set(first, { stored, turn });
  return turn;
}

interface RenderedTurn {
  readonly turn: WindowTurn;
  /** True if no result was missing. */
  readonly isComplete: boolean;
}

function windowTurn(stored: readonly StoredMessage[], { render, count }: TurnRendering): RenderedTurn {
  const sent = stored
    .map((message) => withoutBlankText(escapeMessage(render(message))))
    .filter(({ content }) => content.length > 0);
  const counted = stored.reduce((sum, message) => sum + message.tokens, 0);
  const turn = { turnId: stored[0]?.turnId ?? "", messages: sent, tokens: counted, stored: stored.length };
  if (!sent.some(hasCalls)) return { turn: { ...turn, maxResultLength: 0 }, isComplete: true };
  const messages = completeToolCalls(sent);
  // Stored messages have a token count; only the added results have none.
  const known = new Set(sent.flatMap(({ content }) => content));
  const added = messages.flatMap(({ content }) => content.filter((part) => !known.has(part)));
  const addedTokens =
    added.length === 0 ? 0 : countMessage({ count, countFile: () => 0 }, { role: "tool", content: added });
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  const maxResultLength = results.reduce((longest, { text }) => Math.max(longest, text.length), 0);
  return {
    turn: { ...turn, messages, tokens: counted + addedTokens, maxResultLength },
    isComplete: added.length === 0,
  };
}

function hasCalls({ role, content }: Message): boolean {
  return role === "tool" || content.some(({ type }) => type === "tool-call");
}

// A reply that was interrupted before its first word is empty, and providers refuse empty messages.
function withoutBlankText(message: Message): Message {
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return content.length === message.content.length ? message : { ...message, content };
}
