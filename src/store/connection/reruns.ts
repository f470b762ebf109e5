// Whether a transaction whose connection was lost is run again.
// Invariant: what may have been committed is run again only when its caller allows it, and everything only so many times.
import { type DatabaseConnection, poolSize } from "./database-client.ts";
import { isConnectionBroken, isConnectionLate, isConnectionLost } from "./database-error.ts";
import type { LossStage } from "./transaction.ts";

/** What may be run again: nothing that has begun, what was not committed, or anything. */
export type Repetition = "unbegun" | "uncommitted" | "any";

export interface Reruns {
  /** To be asked once for each failure. `connecting`: there was no connection to be had, or the failure is none of one. */
  isNext(stage: LossStage | "connecting", error: unknown): boolean;
}

/** For one transaction. */
export function createReruns(kind: DatabaseConnection["kind"], repetition: Repetition): Reruns {
  const counts = new Map<LossStage | "connecting", number>();
  return {
    isNext(stage, error) {
      if (!isConnectionLost(error)) return false;
      const count = counts.get(stage) ?? 0;
      counts.set(stage, count + 1);
      return count < (stage === "connecting" ? maxConnects(kind, error) : maxReruns(stage, repetition));
    },
  };
}

function maxConnects(kind: DatabaseConnection["kind"], error: unknown): number {
  if (isConnectionBroken(error)) return poolSize + 1;
  // One that is late: this process may have stood still. The embedded server: another one is started.
  return kind === "embedded" || isConnectionLate(error) ? 1 : 0;
}

function maxReruns(stage: LossStage, repetition: Repetition): number {
  switch (stage) {
    case "beginning":
      // A restarted server leaves a pool of broken connections, and each is found out by using it.
      return poolSize + 1;
    case "between":
      return repetition === "unbegun" ? 0 : poolSize + 1;
    case "asking":
      // It may be the statement itself that ends the server's process: not for long.
      return repetition === "unbegun" ? 0 : 1;
    case "committing":
      return repetition === "any" ? 1 : 0;
  }
}
