// Wraps a reranker with a time-out and a circuit breaker.
// Invariant: a failure is logged once until the reranker recovers, and never thrown: the hits then keep their order.
import { messageOf } from "../../base/thrown-values.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { admit, afterFailure, type Circuit, closedCircuit, withinTime } from "../embedding/circuit.ts";
import type { GuardOptions } from "../embedding/guarded-embedder.ts";
import type { GuardedReranker, Reranker } from "./reranker.ts";

export interface RerankerGuardOptions extends Pick<GuardOptions, "clock" | "random" | "log"> {
  /** Time-out of a call in milliseconds. Default 5,000: a search waits for the call. */
  readonly callMs?: number;
}

const settings = { threshold: 3, baseMs: 2000, maxMs: 300_000 };

export function guardReranker(reranker: Reranker, options: RerankerGuardOptions): GuardedReranker {
  const { clock, random, log, callMs = 5000 } = options;
  let circuit: Circuit = closedCircuit;
  let isFailing = false;
  const nowMs = (): number => clock.now().getTime();
  return {
    async score(query, texts) {
      const admission = admit(circuit, nowMs());
      circuit = admission.circuit;
      if (!admission.isAdmitted) return null;
      try {
        const time = { what: "Reranking", clock, limitMs: callMs };
        const scores = await withinTime((signal) => reranker.score(query, texts, { signal }), time);
        if (scores.length !== texts.length || !scores.every((score) => Number.isFinite(score))) {
          throw new EmbeddingError(
            "embedding_failed",
            `Expected ${texts.length} finite scores from the reranker, got ${scores.filter(Number.isFinite).length}.`,
          );
        }
        circuit = closedCircuit;
        if (isFailing) log(`The reranker ${reranker.name} recovered.`, "info");
        isFailing = false;
        return scores;
      } catch (error) {
        circuit = afterFailure(circuit, { nowMs: nowMs(), random: random() }, settings);
        if (!isFailing) log(`The reranker ${reranker.name} failed, so hits are not reordered: ${messageOf(error)}`);
        isFailing = true;
        return null;
      }
    },
    close: () => reranker.close(),
  };
}
