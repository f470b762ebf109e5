// Keeps a lease alive while work goes on under it, and lets it go at the end.
// Invariant: work whose lease was taken over is aborted, and ends with the error that says so.
import { RequestError } from "../../errors.ts";
import type { Session } from "../session/session.ts";

export interface KeptLease {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** Throws RequestError `lease_lost` if it was lost. */
  check(): void;
  /** Stops the renewals and lets others have the lease. Does not throw. */
  end(): Promise<void>;
}

/** To be called before the lease is taken: it is renewed from when it is held. */
export function keepLease(session: Session, leaseMs: number): KeptLease {
  const lost = new AbortController();
  // Only a lost lease ends the renewals: the database may be out of reach for a while, and the next commit tells.
  const renew = async (): Promise<void> => {
    try {
      await session.renew();
    } catch (error) {
      if (error instanceof RequestError) throw error;
    }
  };
  const stop = every(leaseMs / 3, renew, (error) => lost.abort(error));
  return {
    signal: lost.signal,
    check() {
      lost.signal.throwIfAborted();
    },
    async end() {
      stop();
      // One that cannot be let go runs out by itself, and what was done under it is done.
      await session.release().catch(() => undefined);
    },
  };
}

/** Runs `work` every `ms` milliseconds until the returned function is called; it never overlaps with itself, and keeps no process alive. A failure ends it and is handed to `onFailure`. */
function every(ms: number, work: () => Promise<void>, onFailure: (error: unknown) => void): () => void {
  let isRunning = false;
  const stop = (): void => clearInterval(timer);
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch((error: unknown) => {
        stop();
        onFailure(error);
      })
      .finally(() => {
        isRunning = false;
      });
  }, ms);
  timer.unref();
  return stop;
}
