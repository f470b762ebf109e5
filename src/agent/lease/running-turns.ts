// Tracks the turns and changes that run in one runtime, so that closing the runtime can wait for them, and admits turns
// within the limits of the user.
// Invariant: none begins after `close` was called, and running ones are interrupted before the store is closed.
import { systemClock } from "../../base/clock.ts";
import { LimitError, type ReachedLimit, RequestError } from "../../errors.ts";
import type { UserLimiter } from "../user-limits.ts";

export interface RunningTurns {
  /** Throws RequestError `runtime_closing`, with nothing written, after `close` was called. */
  enter(): RunningTurn;
  /**
   * Like `enter`, for a turn with a model. Throws LimitError if the user has reached a limit, and ConfigError if a limit in
   * dollars has no price; nothing is written then.
   */
  enterTurn(model: string): Promise<RunningTurn>;
  /** Returns the daily limit that the user has reached, or null. Throws ConfigError as `enterTurn`. */
  reachedLimit(model: string): Promise<ReachedLimit | null>;
  /**
   * Waits up to `graceMs` milliseconds for running turns, then interrupts them, which commits their partial replies.
   * Resolves when none is running, at the latest `interruptedMs` after the interruption.
   */
  close(graceMs: number): Promise<void>;
}

export interface RunningTurn {
  /** Aborted when the runtime stops waiting for the turn. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** Milliseconds for the last commit of interrupted turns. A turn whose events are not read cannot commit. */
const interruptedMs = 2000;

/** `limiter`: null for a user without limits. */
export function createRunningTurns(limiter: UserLimiter | null = null): RunningTurns {
  const running = new Set<RunningTurn>();
  const turns = new Set<RunningTurn>();
  const interruption = new AbortController();
  let isClosing = false;
  let reportEmpty: () => void = () => undefined;

  /** Resolves when no turn is running, or after `ms`. */
  async function allLeft(ms: number): Promise<void> {
    if (running.size === 0) return;
    const timer = new AbortController();
    const empty = new Promise<void>((resolve) => {
      reportEmpty = resolve;
    });
    await Promise.race([empty, systemClock.sleep(ms, timer.signal).catch(() => undefined)]);
    timer.abort();
  }

  function enter(): RunningTurn {
    if (isClosing) throw closingError();
    const turn: RunningTurn = {
      signal: interruption.signal,
      leave() {
        running.delete(turn);
        turns.delete(turn);
        if (running.size === 0) reportEmpty();
      },
    };
    running.add(turn);
    return turn;
  }

  return {
    enter,
    async enterTurn(model) {
      const turn = enter();
      turns.add(turn);
      try {
        const reached = limiter === null ? null : await limiter.reached(model, turns.size);
        if (reached !== null) throw new LimitError(reached);
        return turn;
      } catch (error) {
        turn.leave();
        throw error;
      }
    },
    reachedLimit: async (model) => (limiter === null ? null : limiter.reached(model, 0)),
    async close(graceMs) {
      isClosing = true;
      await allLeft(graceMs);
      interruption.abort(closingError());
      await allLeft(interruptedMs);
    },
  };
}

function closingError(): RequestError {
  return new RequestError("runtime_closing", "The runtime is closing: no new turn begins. Nothing was written.");
}
