// Decides whether a transaction is retried whose connection was lost, or which a deadlock ended.
// Invariant: what may have been committed is retried only if its caller allows it, and everything only a limited number
// of times.
import { defaultSize } from "./connection-pool.ts";
import type { DatabaseConnection } from "./database-client.ts";
import { isConnectionBroken, isConnectionLate, isConnectionLost, isDeadlock } from "./database-error.ts";
import type { LossStage } from "./transaction.ts";

/** What may be retried: only transactions that have not begun, those that were not committed, or any. */
export type Repetition = "unbegun" | "uncommitted" | "any";

export interface Reruns {
  /** Call once per failure. `connecting`: no connection could be made, or the failure is not a connection's. */
  isNext(stage: LossStage | "connecting", error: unknown): boolean;
}

/** A transaction that a deadlock ended was rolled back, so it can be retried. */
const maxDeadlocks = 3;

/** Counts the retries of one transaction. */
export function createReruns(connection: DatabaseConnection, repetition: Repetition): Reruns {
  const limits = { kind: connection.kind, maxBroken: sizeOf(connection) + 1 };
  const counts = new Map<LossStage | "connecting", number>();
  let deadlocks = 0;
  return {
    isNext(stage, error) {
      if (isDeadlock(error)) {
        deadlocks += 1;
        return repetition !== "unbegun" && deadlocks <= maxDeadlocks;
      }
      if (!isConnectionLost(error)) return false;
      const count = counts.get(stage) ?? 0;
      counts.set(stage, count + 1);
      return count < (stage === "connecting" ? maxConnects(limits, error) : maxReruns(stage, repetition, limits));
    },
  };
}

interface RerunLimits {
  readonly kind: DatabaseConnection["kind"];
  /** A restarted server leaves a pool of broken connections, each of which is only detected by using it. */
  readonly maxBroken: number;
}

function sizeOf(connection: DatabaseConnection): number {
  if (connection.kind === "server") return connection.maxConnections ?? defaultSize;
  return connection.kind === "pool" ? (connection.pool.options?.max ?? defaultSize) : defaultSize;
}

function maxConnects({ kind, maxBroken }: RerunLimits, error: unknown): number {
  if (isConnectionBroken(error)) return maxBroken;
  // A late server: this process may have been suspended. The embedded server: a new one is started.
  return kind === "embedded" || isConnectionLate(error) ? 1 : 0;
}

function maxReruns(stage: LossStage, repetition: Repetition, { maxBroken }: RerunLimits): number {
  switch (stage) {
    case "beginning":
      return maxBroken;
    case "between":
      return repetition === "unbegun" ? 0 : maxBroken;
    case "asking":
      // The statement itself may be crashing the server: retry only once.
      return repetition === "unbegun" ? 0 : 1;
    case "committing":
      return repetition === "any" ? 1 : 0;
  }
}
