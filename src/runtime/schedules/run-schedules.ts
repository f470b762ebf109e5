// Fires schedules when they are due, until it is stopped.
// Invariant: it continues after an outage of the store, and ends when its signal aborts or its runtime closes.
import { StoreError } from "../../base/errors.ts";
import type { RunSchedulesOptions } from "./contract.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { fireSchedules } from "./fire-schedules.ts";

/** Maximum milliseconds between two polls, so that a schedule that another process has added is fired in time. */
const maxPauseMs = 10_000;

/** Runs until the signal is aborted or the runtime closes. Throws StoreError, except while the store is unreachable. */
export async function runSchedules(deps: OperationDeps, { signal, onRun }: RunSchedulesOptions): Promise<void> {
  const { clock, background, log } = deps;
  const closing = new AbortController();
  background.atClose(async () => closing.abort());
  const stopped = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
  while (!stopped.aborted) {
    let pauseMs = maxPauseMs;
    try {
      const { nextAt } = await fireSchedules(deps, onRun);
      if (nextAt !== null) pauseMs = Math.min(Math.max(nextAt.getTime() - clock.now().getTime(), 0), maxPauseMs);
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "store_unreachable")) throw error;
      log(`Schedules are not fired at present: ${error.message}`);
    }
    try {
      await clock.sleep(pauseMs, stopped);
    } catch (error) {
      if (!stopped.aborted) throw error;
    }
  }
}
