// Keeps the last messages, and summaries of the messages before them, for programs that call a model themselves.
// Invariant: the window never has more than `size` messages; evicted messages are summarized, wait for a summary, or
// are counted as dropped; no summary contains messages of several users.
import { inBatches } from "../../base/lists.ts";
import {
  anything,
  callback,
  flag,
  nullable,
  number,
  optional,
  options as optionsOf,
  record,
  signal,
  text,
} from "../../base/arguments/argument-checks.ts";
import { clock as clockShape, embedder as embedderShape } from "../../base/arguments/port-checks.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import type { RequestError } from "../../base/errors.ts";
import {
  type BufferedMessage,
  bufferedMessage,
  type BufferedSummary,
  type BufferFilter,
  type BufferRole,
  matchesFilter,
  summaryMatchesFilter,
  type MessageMetadata,
} from "./buffered-message.ts";
import { type BufferSizes, type MessageBufferState, newBufferState, parseBufferState } from "./buffer-state.ts";
import {
  type BufferDropCount,
  type BufferSummarizer,
  createOverflow,
  createOverflowLedger,
  type Overflow,
} from "./summarize-overflow.ts";
import {
  type BufferEntry,
  type BufferSearch,
  type BufferSearchOptions,
  type BufferSearchResult,
  createBufferSearch,
} from "./search-buffer.ts";

/** What a buffer needs besides its content; the buffer's JSON does not contain it. */
export interface MessageBufferDeps {
  /** Summarizes evicted messages; without it they are dropped. */
  readonly summarizer?: BufferSummarizer;
  /** Called if a summary that the buffer makes in the background fails. Must not throw. */
  readonly onSummaryFailure?: (error: RequestError) => void;
  /** The embedder with which `search` compares meanings. The buffer does not close it. */
  readonly embedder?: Embedder | null;
  /** If false, `search` compares words only, even with an embedder. Default true. */
  readonly vectorSearch?: boolean;
  readonly clock?: Clock;
}

export interface MessageBufferOptions extends MessageBufferDeps, BufferSizes {}

/** A message in the form that model APIs take. */
export interface FormattedMessage {
  readonly role: BufferRole;
  readonly content: string;
}

export interface BufferContext {
  /** All summaries, oldest first, one line each; null if there are none. */
  readonly summary: string | null;
  /** The messages that no summary covers: those that wait for a summary, and those in the window. */
  readonly messages: readonly BufferedMessage[];
}

const checkOptions = optionsOf<MessageBufferOptions>({
  // The sizes are checked later, when the buffer's state is created.
  size: anything,
  multiplier: anything,
  batchSize: anything,
  summarizer: optional(callback),
  onSummaryFailure: optional(callback),
  embedder: optional(nullable(embedderShape)),
  vectorSearch: optional(flag),
  clock: optional(clockShape),
});

const checkSearch = optionsOf<BufferSearchOptions>({
  user: optional(text),
  metadata: optional(record),
  k: optional(number),
  recencyWeight: optional(number),
  signal: optional(signal),
});

/** The last messages of one or more users. The constructor throws ConfigError for a size that is not a whole number above 0. */
export class MessageBuffer {
  readonly size: number;
  readonly multiplier: number;
  readonly batchSize: number;
  readonly #clock: Clock;
  readonly #hasSummarizer: boolean;
  readonly #window = new RingBuffer<BufferedMessage>();
  readonly #overflow: Overflow;
  readonly #search: BufferSearch;

  /**
   * Restores a buffer from its JSON text, from the text's parsed value, or from the result of `toJSON`, and summarizes the
   * messages that wait for a summary. Throws RequestError `buffer_invalid`.
   */
  static fromJSON(json: unknown, deps: MessageBufferDeps = {}): MessageBuffer {
    return new MessageBuffer(deps, parseBufferState(json));
  }

  constructor(options: MessageBufferOptions = {}, restored?: MessageBufferState) {
    checkOptions(options, { of: "configuration", call: "MessageBuffer", field: "options", isArgument: true });
    const { clock = systemClock, summarizer = null, embedder = null, vectorSearch = true } = options;
    const { size, multiplier, batchSize, messages, waiting, summaries, dropped } = restored ?? newBufferState(options);
    this.size = size;
    this.multiplier = multiplier;
    this.batchSize = batchSize;
    this.#clock = clock;
    this.#hasSummarizer = summarizer !== null;
    this.#search = createBufferSearch(vectorSearch ? embedder : null);
    this.#overflow = createOverflow({
      summarizer,
      onSummaryFailure: options.onSummaryFailure ?? (() => undefined),
      ledger: createOverflowLedger({
        capacity: size * multiplier,
        batches: [...inBatches(waiting, batchSize)],
        summaries,
        dropped,
      }),
    });
    this.#window.replace(messages);
  }

  /** Number of messages in the window. */
  get length(): number {
    return this.#window.length;
  }

  get summaries(): readonly BufferedSummary[] {
    return this.#overflow.summaries;
  }

  /** Number of evicted messages that wait for their summary. */
  get waiting(): number {
    return this.#overflow.waiting.length;
  }

  /** Number of messages that were dropped without a summary, and of summaries that newer ones have displaced. */
  get dropped(): BufferDropCount {
    return this.#overflow.dropped;
  }

  /** Why the last summary failed; null if it succeeded, or none was tried. */
  get summaryFailure(): RequestError | null {
    return this.#overflow.failure;
  }

  /**
   * Appends a message, in constant time. It belongs to the user `metadata.user_id` if that is given. Throws RequestError
   * `input_invalid` for an unknown role, a text that is not a string, and metadata values that are not strings, numbers,
   * booleans or null.
   */
  addMessage(role: BufferRole, text: string, metadata: MessageMetadata = {}): BufferedMessage {
    const message = bufferedMessage({ role, text, at: this.#clock.now(), metadata });
    this.#window.append(message);
    // Messages leave the window in batches so that they are summarized together; without a summarizer, they leave one by one.
    const leaving = this.#hasSummarizer ? this.batchSize : 1;
    if (this.#window.length > this.size) this.#overflow.add(this.#window.takeFirst(leaving));
    return message;
  }

  /** Returns the messages in the window, oldest first. */
  getMessages(filter: BufferFilter = {}): readonly BufferedMessage[] {
    const all = this.#window.items;
    return isEmpty(filter) ? all : all.filter((message) => matchesFilter(message, filter));
  }

  /** Returns the conversation: the summaries as one text, and all messages that they do not cover. */
  getContext(filter: BufferFilter = {}): BufferContext {
    const texts = this.summaries.filter((summary) => summaryMatchesFilter(summary, filter)).map(({ text }) => text);
    const waiting = this.#overflow.waiting.filter((message) => matchesFilter(message, filter));
    const summary = texts.length === 0 ? null : texts.join("\n");
    return { summary, messages: [...waiting, ...this.getMessages(filter)] };
  }

  /** Returns the conversation as messages for a model, with the summary first, as a system message. */
  getFormattedMessages(filter: BufferFilter = {}): readonly FormattedMessage[] {
    const { summary, messages } = this.getContext(filter);
    const spoken = messages.map(({ role, text }) => ({ role, content: text }));
    if (summary === null) return spoken;
    return [{ role: "system", content: `Previous conversation summary: ${summary}` }, ...spoken];
  }

  /**
   * Finds messages and summaries by meaning, or by words if there is no embedder, and ranks recent ones higher. A blank
   * query finds nothing. Throws RequestError `input_invalid` for a `k` or a weight out of range.
   */
  async search(query: string, options: BufferSearchOptions = {}): Promise<BufferSearchResult> {
    const place = { of: "request", call: "buffer.search", isArgument: true } as const;
    text(query, { ...place, field: "query" });
    checkSearch(options, { ...place, field: "options" });
    const summaries = this.summaries.filter((summary) => summaryMatchesFilter(summary, options));
    const { messages } = this.getContext(options);
    const entries: readonly BufferEntry[] = [
      ...summaries.map((summary) => ({ type: "summary" as const, text: summary.text, summary })),
      ...messages.map((message) => ({ type: "message" as const, text: message.text, message })),
    ];
    return this.#search(query, entries, options);
  }

  /**
   * Resolves when no message waits for a summary any more. Throws RequestError `summary_failed`; messages that could not be
   * summarized keep waiting.
   */
  summarize(): Promise<void> {
    return this.#overflow.summarize();
  }

  toJSON(): MessageBufferState {
    const { size, multiplier, batchSize, summaries, dropped } = this;
    const messages = this.#window.items;
    return { version: 1, size, multiplier, batchSize, messages, waiting: this.#overflow.waiting, summaries, dropped };
  }
}

function isEmpty({ user, metadata = {} }: BufferFilter): boolean {
  return user === undefined && Object.keys(metadata).length === 0;
}
