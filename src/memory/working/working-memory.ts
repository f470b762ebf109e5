// Holds recent texts in the process, up to a limit, and searches them by meaning. Modelled on MUXI's WorkingMemory.
// Invariant: never exceeds its byte limit; the oldest texts are evicted first; a search sees one user's texts only; a
// text without a vector is found by its words.
import {
  anything,
  callback,
  nullable,
  number,
  optional,
  options as optionsOf,
  requireCount,
  signal as abortSignal,
  text as anyText,
} from "../../base/arguments/argument-checks.ts";
import { clock as clockShape, embedder as embedderShape } from "../../base/arguments/port-checks.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import { wordRelevance } from "../../base/query-words.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import { ConfigError, inputInvalid } from "../../base/errors.ts";
import { bestOf, innerProduct } from "./best-hits.ts";
import { compactVector, createEntryVectors, type EntryVectors } from "./entry-vectors.ts";
import { bytesOf, checkText, checkUser, type WorkingEntry, type WorkingInput } from "./working-entry.ts";

export interface WorkingMemoryOptions {
  /** Null: search by words only. Closing the memory does not close the embedder. */
  readonly embedder: Embedder | null;
  /** Megabytes for all users together; default 10. */
  readonly maxMemoryMb?: number;
  /** Minutes between two clean-ups; default 5. */
  readonly fifoIntervalMin?: number;
  /** Called for vectors that could not be made; they are retried. Must not throw. */
  readonly onEmbeddingFailure?: (error: unknown) => void;
  readonly clock?: Clock;
}

export interface WorkingSearchOptions {
  readonly user: string;
  /** Maximum number of hits; default 5. */
  readonly k?: number;
  /** Minimum score of a hit; default: none. */
  readonly floor?: number;
  readonly signal?: AbortSignal;
}

export interface WorkingHit extends Required<Omit<WorkingInput, "user">> {
  /** The inner product with the query, or the share of the query's words that the text contains. */
  readonly score: number;
  readonly by: "meaning" | "words";
}

export interface WorkingSearchResult {
  /** Best first; at equal scores, newest first. */
  readonly hits: readonly WorkingHit[];
  /** True if only words were compared: there is no embedder, it failed, or it refused the query. */
  readonly wordsAlone: boolean;
}

const megabyte = 1_000_000;

const checkOptions = optionsOf<WorkingMemoryOptions>({
  embedder: nullable(embedderShape),
  // `positive` checks these two numbers, and the property `maxMemoryMb`.
  maxMemoryMb: anything,
  fifoIntervalMin: anything,
  onEmbeddingFailure: optional(callback),
  clock: optional(clockShape),
});

const checkSearch = optionsOf<WorkingSearchOptions>({
  // `checkUser` checks the user, and `search` checks `k`.
  user: anything,
  k: anything,
  floor: optional(number),
  signal: optional(abortSignal),
});

/** Recent texts of one or more users. Throws ConfigError for limits that are not numbers over 0. */
export class WorkingMemory {
  readonly fifoIntervalMin: number;
  readonly #embedder: Embedder | null;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  readonly #vectors: EntryVectors | null;
  readonly #closing = new AbortController();
  readonly #order = new RingBuffer<WorkingEntry>();
  readonly #byUser = new Map<string, Map<string, WorkingEntry>>();
  #maxMemoryMb: number;
  #bytes = 0;
  #added = 0;
  #cleaning: Promise<void> | null = null;

  constructor(options: WorkingMemoryOptions) {
    checkOptions(options, { of: "configuration", call: "WorkingMemory", field: "options", isArgument: true });
    const { embedder, maxMemoryMb = 10, fifoIntervalMin = 5, clock = systemClock } = options;
    this.#maxMemoryMb = positive("maxMemoryMb", maxMemoryMb);
    this.fifoIntervalMin = positive("fifoIntervalMin", fifoIntervalMin);
    this.#embedder = embedder;
    this.#clock = clock;
    this.#onFailure = options.onEmbeddingFailure ?? (() => undefined);
    const { signal } = this.#closing;
    const waiting = (max: number): readonly WorkingEntry[] => this.#waiting(max);
    this.#vectors =
      embedder === null ? null : createEntryVectors({ embedder, clock, waiting, signal, onFailure: this.#onFailure });
  }

  /**
   * Limit in megabytes. A smaller limit takes effect at the next `add` or clean-up. Throws the same ConfigError as the
   * constructor.
   */
  get maxMemoryMb(): number {
    return this.#maxMemoryMb;
  }

  set maxMemoryMb(megabytes: number) {
    this.#maxMemoryMb = positive("maxMemoryMb", megabytes);
  }

  /** Number of texts of all users. */
  get size(): number {
    return this.#order.length;
  }

  /** Bytes of vectors, texts and overhead. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of texts without a vector, which searches find by words only. */
  get waiting(): number {
    return this.#embedder === null ? 0 : this.#order.items.filter(({ state }) => state === "waiting").length;
  }

  /**
   * Adds a text and returns at once; its vector is made in the background. Above the limit, the oldest texts of any
   * user are evicted. Returns false if this user already has a text with that id. Throws RequestError `input_invalid`
   * for a blank text, for a missing user, and for a text that alone exceeds the limit, with nothing evicted.
   */
  add(given: WorkingInput): boolean {
    checkText(given);
    const { text, source, user, trust = "external" } = given;
    const id = given.id ?? `working-${this.#added + 1}`;
    const held = this.#byUser.get(user) ?? new Map<string, WorkingEntry>();
    if (held.has(id)) return false;
    const bytes = bytesOf({ text, source, id }, this.#embedder?.dimensions ?? 0);
    this.#requireRoom(bytes);
    const at = new Date(given.at ?? this.#clock.now());
    const entry: WorkingEntry = { text, source, user, at, trust, id, bytes, vector: null, state: "waiting" };
    held.set(id, entry);
    this.#byUser.set(user, held);
    this.#order.append(entry);
    this.#bytes += bytes;
    this.#added += 1;
    this.#makeRoom();
    this.#vectors?.wake();
    this.#cleaning ??= this.#cleanUpEvery(this.fifoIntervalMin * 60_000);
    return true;
  }

  /**
   * Returns the user's texts nearest to the query, by comparison with all of them. Throws RequestError `input_invalid` for a
   * `k` that is not a whole number of at least 1, and the signal's reason.
   */
  async search(query: string, options: WorkingSearchOptions): Promise<WorkingSearchResult> {
    const place = { of: "request", call: "workingMemory.search", isArgument: true } as const;
    anyText(query, { ...place, field: "query" });
    checkSearch(options, { ...place, field: "options" });
    const { user, k = 5, floor = Number.NEGATIVE_INFINITY, signal } = options;
    checkUser(user);
    requireCount("k", k, 1);
    if (query.trim() === "" || !this.#byUser.has(user)) return { hits: [], wordsAlone: this.#embedder === null };
    this.#vectors?.wake();
    const asked = await this.#queryVector(query, signal);
    const relevance = wordRelevance(query);
    const scoreOf = ({ vector, text }: WorkingEntry): number | null => {
      const isCompared = asked !== null && vector !== null;
      const score = isCompared ? innerProduct(asked, vector) : relevance(text);
      return score < floor || (!isCompared && score === 0) ? null : score;
    };
    const best = bestOf(this.#byUser.get(user)?.values() ?? [], k, scoreOf);
    const hits = best.map(({ item, score }) => hitOf(item, score, asked));
    return { hits, wordsAlone: asked === null };
  }

  /** Evicts the oldest texts while the limit is exceeded, and retries failed vectors. Returns the number evicted. */
  cleanup(): number {
    const before = this.size;
    this.#makeRoom();
    this.#vectors?.retry();
    return before - this.size;
  }

  /** Deletes these texts of the user; unknown ids are ignored. */
  remove(user: string, ids: readonly string[]): void {
    const held = this.#byUser.get(user);
    const gone = new Set(ids.flatMap((id) => held?.get(id) ?? []));
    if (gone.size === 0) return;
    for (const entry of gone) this.#forget(entry);
    this.#order.replace(this.#order.items.filter((entry) => !gone.has(entry)));
  }

  /** Deletes all texts of this user. */
  clear(user: string): void {
    this.remove(user, [...(this.#byUser.get(user)?.keys() ?? [])]);
  }

  /** Resolves when the pending vectors are made or have failed. */
  async idle(): Promise<void> {
    await this.#vectors?.idle();
  }

  /** Deletes everything and stops the background work. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#vectors?.idle();
    await this.#cleaning;
    for (const user of this.#byUser.keys()) this.clear(user);
  }

  #requireRoom(bytes: number): void {
    if (bytes <= this.#maxMemoryMb * megabyte) return;
    throw inputInvalid(
      `Expected a text that fits into working memory (${this.#maxMemoryMb * megabyte} bytes), got a text that takes ${bytes} bytes. Add the text in pieces, or raise \`maxMemoryMb\`.`,
    );
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxMemoryMb * megabyte) {
      for (const entry of this.#order.takeFirst(1)) this.#forget(entry);
    }
  }

  #forget({ user, id, bytes }: WorkingEntry): void {
    const held = this.#byUser.get(user);
    held?.delete(id);
    if (held?.size === 0) this.#byUser.delete(user);
    this.#bytes -= bytes;
  }

  #waiting(max: number): readonly WorkingEntry[] {
    return this.#order.items.filter(({ state }) => state === "waiting").slice(0, max);
  }

  async #queryVector(query: string, signal: AbortSignal | undefined): Promise<Float32Array | null> {
    signal?.throwIfAborted();
    if (this.#embedder === null) return null;
    try {
      const options = signal === undefined ? { isQuery: true } : { isQuery: true, signal };
      const [vector = null] = await this.#embedder.embed([query], options);
      return vector === null ? null : compactVector(vector, this.#embedder);
    } catch (error) {
      signal?.throwIfAborted();
      this.#onFailure(error);
      return null;
    }
  }

  async #cleanUpEvery(ms: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Only closing the memory aborts the wait.
      const isOver = await this.#clock.sleep(ms, signal, { background: true }).then(
        () => true,
        () => false,
      );
      if (isOver) this.cleanup();
    }
  }
}

function hitOf({ id, text, source, at, trust, vector }: WorkingEntry, score: number, asked: unknown): WorkingHit {
  const by = asked !== null && vector !== null ? "meaning" : "words";
  return { id, text, source, at, trust, score, by };
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new ConfigError(`Expected working memory's \`${name}\` to be a number over 0, got ${value}.`);
}
