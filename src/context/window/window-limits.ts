// The limits of a window in counted tokens, made from its size in the tokens that the provider reports.
// Invariant: pure; what decides about texts gets these limits and never the size itself.
import { coarseScale, type TokenScale } from "../../tokens/token-scale.ts";

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

export function windowLimits({ window, reserve }: WindowSize, scale: TokenScale): WindowLimits {
  const budget = window - reserve;
  return {
    available: scale.counted(budget),
    // The factor moves a little with each call, and a result that was clipped should stay as it was sent.
    result: coarseScale(scale).counted(resultShare * budget),
  };
}
