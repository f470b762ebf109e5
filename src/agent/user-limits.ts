// Checks the limits of one user: tokens and money per day, and concurrent turns.
// Invariant: without limits per day, nothing is read from the store. Days are UTC days, so that the remaining wait is known.
import type { Clock } from "../base/clock.ts";
import { durationText } from "../base/calendar.ts";
import type { ReachedLimit } from "../base/errors.ts";
import type { ModelUsage } from "../store/port/step-store.ts";
import { dollarsOf, type ModelPrice } from "../base/message/message.ts";
import { priceMissing } from "./turn-limits.ts";

/** The limits of one user; a limit that is null does not apply. */
export interface UserLimits {
  /** Maximum input and output tokens of a UTC day, for all model calls with all agents. */
  readonly maxDailyTokens: number | null;
  /** Maximum cost of a UTC day in dollars, at the configured prices. */
  readonly maxDailyDollars: number | null;
  /** Maximum turns of the user that run or wait in this process. */
  readonly maxConcurrentTurns: number | null;
}

export interface UserLimiter {
  /**
   * Returns the limit that allows no further model call, or null. `turns`: the number of the user's turns in this process,
   * including the new one; 0 to check only the limits per day. `pending`: usage that is not stored yet. Throws ConfigError for
   * a limit in dollars if the price of `model`, or of a model that the user called today, is unknown.
   */
  reached(model: string, turns: number, pending?: ModelUsage): Promise<ReachedLimit | null>;
}

export interface UserLimiterDeps {
  readonly limits: () => UserLimits;
  readonly usageSince: (moment: Date) => Promise<readonly ModelUsage[]>;
  readonly priceOf: (model: string) => ModelPrice | null;
  readonly clock: Clock;
}

/** Suggested wait in milliseconds when too many turns run. Another turn of the user may have ended by then. */
const turnRetryMs = 1000;
const dayMs = 86_400_000;

export function createUserLimiter({ limits, usageSince, priceOf, clock }: UserLimiterDeps): UserLimiter {
  return {
    async reached(model, turns, pending) {
      const { maxDailyTokens, maxDailyDollars, maxConcurrentTurns } = limits();
      if (maxConcurrentTurns !== null && turns > maxConcurrentTurns) return tooManyTurns(maxConcurrentTurns);
      if (maxDailyTokens === null && maxDailyDollars === null) return null;
      if (maxDailyDollars !== null) requirePrice(model, priceOf);
      const nowMs = clock.now().getTime();
      const dayStartMs = nowMs - (nowMs % dayMs);
      const retryAfterMs = dayStartMs + dayMs - nowMs;
      const stored = await usageSince(new Date(dayStartMs));
      const usage = pending === undefined ? stored : [...stored, pending];
      const tokens = usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
      if (maxDailyTokens !== null && tokens >= maxDailyTokens) {
        return ofDay(
          "daily-tokens",
          retryAfterMs,
          `may use ${count(maxDailyTokens)} tokens a day and has used ${count(tokens)}`,
        );
      }
      if (maxDailyDollars === null) return null;
      const dollars = usage.reduce((sum, used) => sum + dollarsOf(used, requirePrice(used.model, priceOf)), 0);
      if (dollars < maxDailyDollars) return null;
      return ofDay(
        "daily-dollars",
        retryAfterMs,
        `may spend $${maxDailyDollars} a day and has spent $${dollars.toFixed(4)}`,
      );
    },
  };
}

function tooManyTurns(max: number): ReachedLimit {
  const turns = max === 1 ? "one turn" : `${max} turns`;
  return {
    limit: "concurrent-turns",
    retryAfterMs: turnRetryMs,
    text: `The user may have ${turns} at a time. Try again in ${durationText(turnRetryMs)}, or when a turn has ended.`,
  };
}

function ofDay(limit: ReachedLimit["limit"], retryAfterMs: number, use: string): ReachedLimit {
  const text = `The user ${use}. The next day begins in ${durationText(retryAfterMs)}, at midnight UTC.`;
  return { limit, retryAfterMs, text };
}

function requirePrice(model: string, priceOf: UserLimiterDeps["priceOf"]): ModelPrice {
  const price = priceOf(model);
  if (price === null) throw priceMissing(model);
  return price;
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en");
}
