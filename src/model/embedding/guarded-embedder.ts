// Wraps an embedder with a time-out and a circuit breaker.
// Invariant: every vector has length 1 and the embedder's dimensions. Other dimensions cause an EmbeddingError
// `embedding_dimensions_mismatch`, every other failure and each call while the circuit is open an EmbeddingError
// `embedder_unavailable`. An abort is rethrown. A text that fails alone gets null and is not a failure.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { estimateTokens } from "../tokens/token-counter.ts";
import { admit, afterAbort, afterFailure, type Circuit, closedCircuit, pauseOf, withinTime } from "./circuit.ts";
import { embedApart } from "./embed-apart.ts";
import type { Embedder, GuardedEmbedder, LearnedEmbedder, Similarity } from "./embedder.ts";
import { normalizeVectors } from "./unit-vectors.ts";

export interface GuardOptions {
  readonly clock: Clock;
  /** Returns a number from 0 up to 1, like `Math.random`. */
  readonly random: () => number;
  /**
   * Receives a line when the circuit opens and when it closes. `close()` logs failures of the last calls if they were too
   * few to open the circuit.
   */
  readonly log: Log;
  /** Overrides the embedder's own floor. */
  readonly similarityFloor?: number;
  /** Number of failures in a row that opens the circuit. Default 3. */
  readonly threshold?: number;
  /** Maximum first pause in milliseconds, doubled for each further pause in a row. Default 2,000. */
  readonly baseMs?: number;
  /** Maximum pause in milliseconds. Default 300,000. */
  readonly maxMs?: number;
  /** Time-out of a call in milliseconds, plus a second per text. Default 10,000 if the embedder is remote, else 60,000. */
  readonly callMs?: number;
}

// Defaults for embedders without a floor or a window of their own: the floor of the local embedder, and the window in
// tokens of most open sentence encoders (BERT's).
const defaultFloor = 0.35;
const defaultWindow = 512;

// Time-outs in milliseconds. A local embedder gets more, because its first call loads the model, perhaps on a busy processor.
const defaultCallMs = { remote: 10_000, local: 60_000 };

/** Returns the embedder with a time-out for its calls and a circuit breaker. */
export function guardEmbedder(embedder: Embedder | LearnedEmbedder, options: GuardOptions): GuardedEmbedder {
  const { clock, random, log, threshold = 3, baseMs = 2000, maxMs = 300_000 } = options;
  const settings = { threshold, baseMs, maxMs };
  const callMs = options.callMs ?? defaultCallMs[embedder.isRemote === true ? "remote" : "local"];
  const normalized = normalizeVectors(embedder, log);
  let circuit: Circuit = closedCircuit;
  let lastReason = "";
  const nowMs = (): number => clock.now().getTime();

  function onFailure(error: unknown): void {
    lastReason = messageOf(error);
    const wasOpen = circuit.state !== "closed";
    circuit = afterFailure(circuit, { nowMs: nowMs(), random: random() }, settings);
    if (circuit.state === "open" && !wasOpen) {
      log(`The embedder ${embedder.name} failed, so memory is searched by words only until it recovers: ${lastReason}`);
    }
  }

  function onSuccess(): void {
    const wasOpen = circuit.state !== "closed";
    circuit = closedCircuit;
    if (wasOpen) log(`The embedder ${embedder.name} recovered: memory is searched by meaning again.`, "info");
  }

  return {
    name: embedder.name,
    dimensions: embedder.dimensions,
    isRemote: embedder.isRemote ?? false,
    windowTokens: embedder.windowTokens ?? defaultWindow,
    countTokens: embedder.countTokens ?? estimateTokens,
    similarity: () => similarityOf(embedder, options),
    pauseMs: () => pauseOf(circuit, nowMs(), settings),
    async embed(texts, { isQuery = false, signal } = {}) {
      signal?.throwIfAborted();
      const admission = admit(circuit, nowMs());
      circuit = admission.circuit;
      if (!admission.isAdmitted) throw circuitOpenError(embedder, lastReason);
      try {
        const limitMs = callMs + 1000 * texts.length;
        const time = { what: "Embedding", clock, limitMs, signal };
        const vectors = await withinTime((call) => embedApart(normalized, texts, { isQuery, signal: call }), time);
        onSuccess();
        return vectors;
      } catch (error) {
        if (signal?.aborted === true || isOtherWidth(error)) circuit = afterAbort(circuit, nowMs());
        signal?.throwIfAborted();
        // Wrong dimensions are not an outage: waiting does not help.
        if (isOtherWidth(error)) throw error;
        onFailure(error);
        throw new EmbeddingError("embedder_unavailable", messageOf(error), { cause: error });
      }
    },
    async close() {
      if (circuit.state === "closed" && circuit.failures > 0) {
        log(`The embedder ${embedder.name} failed, so some passages are found by words only for now: ${lastReason}`);
      }
      await embedder.close();
    },
  };
}

async function similarityOf(embedder: Embedder | LearnedEmbedder, options: GuardOptions): Promise<Similarity> {
  const { similarityFloor = defaultFloor, meaningWeight: weight = 1 } = embedder;
  if (options.similarityFloor !== undefined) return { floor: options.similarityFloor, weight };
  return { floor: "learnedFloor" in embedder ? await embedder.learnedFloor() : similarityFloor, weight };
}

function isOtherWidth(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "embedding_dimensions_mismatch";
}

function circuitOpenError({ name }: Embedder, reason: string): EmbeddingError {
  return new EmbeddingError(
    "embedder_unavailable",
    `The embedder ${name} is not called for a while, because it failed: ${reason}`,
  );
}
