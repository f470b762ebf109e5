// Checks whether a host can serve turns.
// Invariant: sends one statement to the database and makes no other call; returns within its time limit and never throws.
import { type Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import { RuntimeError, StoreError } from "../../base/errors.ts";
import type { Store } from "../../store/port/store.ts";
import type { BackFillCounts, HealthOptions, HostHealth } from "../host.ts";

export interface HealthDeps {
  readonly store: Pick<Store, "ping">;
  readonly embedder: Pick<GuardedEmbedder, "name" | "pauseMs"> | null;
  readonly backFill: BackFillCounts;
  readonly isClosing: boolean;
  readonly clock: Clock;
}

const defaultTimeoutMs = 2000;

export async function hostHealth(
  deps: HealthDeps,
  { timeoutMs = defaultTimeoutMs }: HealthOptions,
): Promise<HostHealth> {
  const database = await checkDatabase(deps, timeoutMs);
  const embedder = embedderHealth(deps.embedder);
  const { isClosing, backFill } = deps;
  const works = database.isReachable && !isClosing;
  const status = works ? (embedder?.isAvailable === false ? "degraded" : "ok") : "failed";
  return { status, isClosing, database, embedder, backFill };
}

async function checkDatabase({ store, clock }: HealthDeps, timeoutMs: number): Promise<HostHealth["database"]> {
  const begun = performance.now();
  const answered = new AbortController();
  const late = async (): Promise<never> => {
    await clock.sleep(timeoutMs, answered.signal, { background: true });
    throw new StoreError("store_unreachable", `The database did not answer within ${timeoutMs} ms.`);
  };
  try {
    await Promise.race([store.ping(), late()]);
    return { isReachable: true, latencyMs: performance.now() - begun };
  } catch (error) {
    const code = error instanceof RuntimeError ? error.code : "store_failed";
    return { isReachable: false, latencyMs: null, error: { code, message: messageOf(error) } };
  } finally {
    answered.abort();
  }
}

function embedderHealth(embedder: HealthDeps["embedder"]): HostHealth["embedder"] {
  if (embedder === null) return null;
  const retryMs = embedder.pauseMs();
  return { name: embedder.name, isAvailable: retryMs === 0, retryMs };
}
