// An embedder behind a circuit breaker: it is not waited for longer than it may take, and not called while it is failing.
// Invariant: every failure is an EmbeddingError `embedder_unavailable`, at once while the circuit is open; an abort passes
// through; a text that alone makes it fail is no failure, but a refused text.
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/error-message.ts";
import { EmbeddingError } from "../errors.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { admit, afterAbort, afterFailure, afterSuccess, type Circuit, closedCircuit, pauseOf } from "./circuit.ts";
import { embedApart } from "./embed-apart.ts";
import type { Embedder, GuardedEmbedder, Vector } from "./embedder.ts";

export interface GuardOptions {
  readonly clock: Clock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** Told when it opens and when it closes, a line each; and of failures that were too few to open it, at the end. */
  readonly log: (line: string) => void;
  /** In place of the embedder's own. */
  readonly similarityFloor?: number;
  /** Failures in a row after which it is left alone. Default 3. */
  readonly threshold?: number;
  /** The longest first pause, doubled with each one that follows. Default 2,000. */
  readonly baseMs?: number;
  /** The longest pause of all. Default 300,000. */
  readonly maxMs?: number;
  /** What a call may take, besides a second for each of its texts. Default 10,000. */
  readonly callMs?: number;
}

// What an embedder has that does not say: the floor of the local one, and the window of most open sentence encoders (BERT's).
const defaultFloor = 0.35;
const defaultWindow = 512;

/** The embedder, with its calls bounded in time and withheld during an outage. */
export function guardEmbedder(embedder: Embedder, options: GuardOptions): GuardedEmbedder {
  const { clock, random, log, threshold = 3, baseMs = 2000, maxMs = 300_000 } = options;
  const settings = { threshold, baseMs, maxMs };
  let circuit: Circuit = closedCircuit;
  let lastReason = "";
  const nowMs = (): number => clock.now().getTime();

  function onFailure(error: unknown): void {
    lastReason = messageOf(error);
    const wasOpen = circuit.state !== "closed";
    circuit = afterFailure(circuit, { nowMs: nowMs(), random: random() }, settings);
    if (circuit.state === "open" && !wasOpen) {
      log(`The embedder ${embedder.name} fails, so memory is searched by words alone until it is back: ${lastReason}`);
    }
  }

  function onSuccess(): void {
    const wasOpen = circuit.state !== "closed";
    circuit = afterSuccess();
    if (wasOpen) log(`The embedder ${embedder.name} is back: memory is searched by meaning again.`);
  }

  return {
    name: embedder.name,
    dimensions: embedder.dimensions,
    isRemote: embedder.isRemote ?? false,
    similarityFloor: options.similarityFloor ?? embedder.similarityFloor ?? defaultFloor,
    windowTokens: embedder.windowTokens ?? defaultWindow,
    countTokens: embedder.countTokens ?? estimateTokens,
    pauseMs: () => pauseOf(circuit, nowMs(), settings),
    async embed(texts, { isQuery = false, signal } = {}) {
      signal?.throwIfAborted();
      const admission = admit(circuit, nowMs());
      circuit = admission.circuit;
      if (!admission.isAdmitted) throw withheld(embedder, lastReason);
      try {
        const limitMs = (options.callMs ?? 10_000) + 1000 * texts.length;
        const vectors = await withinTime((call) => embedApart(embedder, texts, { isQuery, signal: call }), {
          clock,
          limitMs,
          signal,
        });
        checkCount(vectors, texts);
        onSuccess();
        return vectors;
      } catch (error) {
        if (signal?.aborted === true) circuit = afterAbort(circuit, nowMs());
        signal?.throwIfAborted();
        onFailure(error);
        throw new EmbeddingError("embedder_unavailable", messageOf(error), { cause: error });
      }
    },
    async close() {
      if (circuit.state === "closed" && circuit.failures > 0) {
        log(`The embedder ${embedder.name} failed, so some passages are found by words alone for now: ${lastReason}`);
      }
      await embedder.close();
    },
  };
}

function checkCount(vectors: readonly Vector[], texts: readonly string[]): void {
  if (vectors.length === texts.length) return;
  throw new EmbeddingError("embedding_failed", `Expected ${texts.length} vectors, got ${vectors.length}.`);
}

interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What `work` resolves to, or a failure when that takes too long, whether or not it heeds its signal. */
async function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, limitMs, signal }: TimeLimit,
): Promise<Result> {
  const over = new AbortController();
  const ended = new AbortController();
  const follow = (): void => over.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  const late = clock.sleep(limitMs, ended.signal).then(
    () =>
      over.abort(new EmbeddingError("embedding_failed", `No vectors came for ${Math.round(limitMs / 1000)} seconds.`)),
    () => "it was done in time",
  );
  const aborted = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener("abort", () => reject(over.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(over.signal), aborted]);
  } finally {
    signal?.removeEventListener("abort", follow);
    ended.abort();
    await late;
  }
}

function withheld({ name }: Embedder, reason: string): EmbeddingError {
  return new EmbeddingError(
    "embedder_unavailable",
    `The embedder ${name} is left alone for a while, as it failed: ${reason}`,
  );
}
