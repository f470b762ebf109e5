// Converts between counted tokens (the runtime's) and reported tokens (the provider's).
// Invariant: pure; no other code multiplies or divides by a calibration factor. Decisions compare counted tokens only;
// reported tokens are in a provider's limits, in its usage, and in what people are shown.
import type { WindowSource } from "../../base/message/message.ts";

export interface TokenScale {
  /** Ratio of reported to counted tokens. */
  readonly factor: number;
  /** Returns the maximum counted tokens within a provider's limit. */
  counted(limit: number): number;
  /** Converts counted tokens to reported tokens, rounded up. */
  reported(tokens: number): number;
  /** Converts a limit in counted tokens to a limit for the provider, rounded down. */
  reportedLimit(limit: number): number;
}

export function createTokenScale(factor: number): TokenScale {
  return {
    factor,
    counted: (limit) => Math.floor(limit / factor),
    reported: (tokens) => Math.ceil(tokens * factor),
    reportedLimit: (limit) => Math.floor(limit * factor),
  };
}

/** For a model without known usage. */
export const unscaled: TokenScale = createTokenScale(1);

/** Returns a scale that changes rarely: its factor is rounded to a power of two. */
export function coarseScale({ factor }: TokenScale): TokenScale {
  return createTokenScale(2 ** Math.round(Math.log2(factor)));
}

/** The size of a window, in reported tokens. */
export interface WindowSize {
  readonly window: number;
  /** Tokens of the window reserved for the reply. */
  readonly reserve: number;
  readonly from?: WindowSource;
}

/** The limits of a request, in counted tokens. */
export interface WindowLimits {
  /** Maximum of a request. */
  readonly available: number;
  /** Maximum of one tool result. */
  readonly result: number;
}

/** Maximum share of the budget for one tool result. */
const resultShare = 0.25;

/** Returns the limits of a window in counted tokens. Code that selects or cuts texts uses these, never the size itself. */
export function windowLimits({ window, reserve }: WindowSize, scale: TokenScale): WindowLimits {
  const budget = window - reserve;
  return {
    available: scale.counted(budget),
    // The factor varies slightly with each call, and a clipped result should not change between requests.
    result: coarseScale(scale).counted(resultShare * budget),
  };
}
