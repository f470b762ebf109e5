// Combines the limits of a user: the defaults in the settings, the user's exceptions there, and the result of `limitsFor`.
// Invariant: this code is loaded only by a host with limits.
import { createUserLimiter, type UserLimiter, type UserLimiterDeps, type UserLimits } from "../../agent/user-limits.ts";
import { shape } from "../../config/shape.ts";
import { ConfigError } from "../../base/errors.ts";
import { type Config, settings } from "../../config/settings.ts";
import { type PriceTable, priceOf } from "../models/model-price.ts";

/** Returns the limits of a user that differ from the configured ones. A limit that is null does not apply. */
export type LimitsFor = (
  userId: string,
) => Partial<Pick<Config, "maxDailyTokens" | "maxDailyDollars" | "maxConcurrentTurns">>;

export interface LimitsConfig extends UserLimits, Pick<Config, "userLimits"> {
  readonly prices: PriceTable;
}

export type LimiterFor = (userId: string, deps: Pick<UserLimiterDeps, "clock" | "usageSince">) => UserLimiter;

export function openLimits(config: LimitsConfig, limitsFor: LimitsFor = () => ({})): LimiterFor {
  return (userId, deps) =>
    createUserLimiter({
      ...deps,
      limits: () => checkedLimits({ ...limitsOf(config), ...ownLimits(config, userId), ...limitsFor(userId) }),
      priceOf: (model) => priceOf(model, config.prices),
    });
}

const keys = ["maxDailyTokens", "maxDailyDollars", "maxConcurrentTurns"] as const;

function limitsOf({ maxDailyTokens, maxDailyDollars, maxConcurrentTurns }: UserLimits): UserLimits {
  return { maxDailyTokens, maxDailyDollars, maxConcurrentTurns };
}

function ownLimits({ userLimits }: LimitsConfig, userId: string): Config["userLimits"][string] | undefined {
  return Object.hasOwn(userLimits, userId) ? userLimits[userId] : undefined;
}

function checkedLimits(limits: UserLimits): UserLimits {
  for (const key of keys) {
    if (shape[key].safeParse(limits[key]).success) continue;
    throw new ConfigError(
      `Expected ${key} of \`limitsFor\` to be ${settings[key].expected}, or null, got ${JSON.stringify(limits[key])}.`,
    );
  }
  return limits;
}
