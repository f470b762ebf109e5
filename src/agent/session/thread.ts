// Holds the stored messages in the window, and turns drafts into messages that follow them.
// Invariant: each message's parent is the one before it, and a message is added only after its commit.
import type { Clock } from "../../base/clock.ts";
import { storableText } from "../../base/code-points.ts";
import type { Ids } from "../../base/ids.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import { escapeMessage } from "../../base/message/reserved-tags.ts";
import type { SummaryState } from "../../context/compaction/summary-text.ts";
import type {
  CompactionRecord,
  MemorySnapshot,
  MessageKind,
  MessageStatus,
  StateEntry,
  StoredMessage,
  ThreadRecord,
} from "../../store/port/records.ts";
import type { ContentPart, Message, Trust } from "../../base/message/message.ts";
import { countMessage, type TokenCounter } from "../../model/tokens/token-counter.ts";
import type { ProtocolRules } from "../protocol/protocol.ts";

export interface MessageDraft extends Message {
  /** Default: a new id. */
  readonly id?: string;
  readonly kind?: MessageKind;
  readonly speaker?: string;
  readonly status?: MessageStatus;
  /** The trust class of the text; default `user`, for a text by a person or by the runtime. */
  readonly trust?: Trust;
}

export interface Thread {
  /** Oldest first; the same array until something changes. */
  readonly messages: readonly StoredMessage[];
  /** The summaries of the messages that left the window, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly snapshot: MemorySnapshot | null;
  /** The parent of the next message; null in an empty conversation. */
  readonly leafId: string | null;
  /** Returns the drafts as messages to be committed after `parentId`, by default after the leaf. Commits nothing. */
  prepare(turnId: string, drafts: readonly MessageDraft[], parentId?: string): readonly StoredMessage[];
  load(record: ThreadRecord): void;
  add(committed: readonly StoredMessage[]): void;
  /** Replaces the snapshot in the prompt, and removes the state entries. Tool results keep their marks of memory changes. */
  show(snapshot: MemorySnapshot): void;
  /** Replaces the snapshot after the database has removed a part of it. `rest`: the remaining parts. */
  withdraw(rest: MemorySnapshot): void;
  /** Sets the state entry after the last message. */
  state(entry: StateEntry): void;
  /** The chain of compactions that replaces the messages which left the window, oldest first. */
  readonly compactions: readonly CompactionRecord[];
  /** The position of the last message that left the window; 0 if none has. */
  readonly cut: number;
  readonly windowVersion: number;
  /** Replaces messages and older compactions by these compactions, which are in the order of their creation. */
  compact(compactions: readonly CompactionRecord[], windowVersion: number): void;
}

export interface ThreadDeps {
  readonly protocol: ProtocolRules;
  readonly counter: TokenCounter;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The agent's time zone, in which the protocol renders times. */
  readonly timeZone: string;
}

export function createThread(deps: ThreadDeps): Thread {
  const window = new RingBuffer<StoredMessage>();
  let compactions: ThreadRecord["compactions"] = [];
  let snapshot: MemorySnapshot | null = null;
  let windowVersion = 0;
  return {
    get messages() {
      return window.items;
    },
    get summaries() {
      return compactions.map(({ summary, throughPosition }) => ({ text: summary, throughPosition }));
    },
    get compactions() {
      return compactions;
    },
    get cut() {
      return cutOf(compactions);
    },
    get windowVersion() {
      return windowVersion;
    },
    get snapshot() {
      return snapshot;
    },
    get leafId() {
      return window.at(-1)?.id ?? compactions.at(-1)?.throughId ?? null;
    },
    prepare(turnId, drafts, parentId) {
      let leafId = parentId ?? this.leafId;
      return drafts.map((draft) => {
        const message = toMessage(deps, draft, { turnId, parentId: leafId });
        leafId = message.id;
        return message;
      });
    },
    load(record) {
      window.replace(record.messages);
      ({ compactions, snapshot, windowVersion } = record);
    },
    add(committed) {
      for (const message of committed) window.append(message);
    },
    show(renewed) {
      snapshot = renewed;
      if (window.items.some(({ stated }) => stated !== undefined)) window.replace(window.items.map(withoutEntry));
    },
    withdraw(rest) {
      snapshot = rest;
    },
    state(entry) {
      window.replaceLast({ ...window.at(-1)!, stated: entry });
    },
    compact(made, version) {
      const chain = made.reduce(chainWith, compactions);
      window.takeFirst(cutOf(chain) - cutOf(compactions));
      compactions = chain;
      windowVersion = version;
    },
  };
}

function withoutEntry({ stated, ...message }: StoredMessage): StoredMessage {
  return stated?.reported === undefined ? message : { ...message, stated: { reported: stated.reported } };
}

function cutOf(chain: readonly CompactionRecord[]): number {
  return chain.at(-1)?.throughPosition ?? 0;
}

/** Returns the chain with `made` instead of the compactions that `made` replaces. */
function chainWith(chain: readonly CompactionRecord[], made: CompactionRecord): readonly CompactionRecord[] {
  const before = chain.filter(({ throughPosition }) => throughPosition < made.fromPosition);
  const after = chain.filter(({ fromPosition }) => fromPosition > made.throughPosition);
  return [...before, made, ...after];
}

export interface DraftPosition {
  readonly turnId: string;
  readonly parentId: string | null;
}

/** Returns the message that a draft becomes at this place in the thread. */
export function toMessage(deps: ThreadDeps, draft: MessageDraft, place: DraftPosition): StoredMessage {
  const { protocol, counter, ids, clock, timeZone } = deps;
  const { role, kind = "message", status = "complete", trust = "user" } = draft;
  const speaker = draft.speaker === undefined ? {} : { speaker: storableText(draft.speaker) };
  const content = draft.content.map(storablePart);
  const text = kind === "event" ? "" : protocol.visibleTextOf({ role, content });
  const message = {
    id: draft.id ?? ids.next(),
    ...place,
    role,
    ...speaker,
    kind,
    status,
    content,
    text,
    tokens: 0,
    trust,
    at: clock.now(),
  };
  // The tokens are those of the rendered message, because a protocol may send more than is stored.
  return { ...message, tokens: countMessage(counter, escapeMessage(protocol.render(message, timeZone))) };
}

function storablePart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "text":
    case "thought":
    case "tool-result":
    case "state":
      return { ...part, text: storableText(part.text) };
    case "file":
      return part;
    case "tool-call":
      return { ...part, name: storableText(part.name), arguments: storableText(part.arguments) };
  }
}
