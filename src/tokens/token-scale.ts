// Converts between the tokens that the runtime counts and the tokens that a provider reports.
// Invariant: pure; nothing else multiplies or divides by a calibration factor. Decisions compare counted tokens alone;
// reported tokens are in a provider's limits, in its usage, and in what people are shown.

export interface TokenScale {
  /** Reported over counted tokens. */
  readonly factor: number;
  /** The most counted tokens that are within a provider's limit. */
  counted(limit: number): number;
  /** What a provider would report of counted tokens, rounded up. */
  reported(tokens: number): number;
  /** A limit in counted tokens as a limit for the provider, rounded down. */
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

/** For a model of which no usage is known. */
export const unscaled: TokenScale = createTokenScale(1);

/** A scale that changes seldom: its factor is rounded to a power of two. */
export function coarseScale({ factor }: TokenScale): TokenScale {
  return createTokenScale(2 ** Math.round(Math.log2(factor)));
}

/** In tokens as the provider reports them. */
export interface WindowSize {
  readonly window: number;
  /** What of the window is kept free for the reply. */
  readonly reserve: number;
}

/** In counted tokens. */
export interface WindowLimits {
  /** That a request may have. */
  readonly available: number;
  /** That one tool result may have. */
  readonly result: number;
}

/** Share of the budget that one tool result may take. */
const resultShare = 0.25;

/** The limits of a window in counted tokens: what decides about texts gets these, and never the size itself. */
export function windowLimits({ window, reserve }: WindowSize, scale: TokenScale): WindowLimits {
  const budget = window - reserve;
  return {
    available: scale.counted(budget),
    // The factor moves a little with each call, and a result that was clipped should stay as it was sent.
    result: coarseScale(scale).counted(resultShare * budget),
  };
}
