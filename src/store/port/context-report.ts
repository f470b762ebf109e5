// The contents of the window at one model call: tokens by tier and part, and what was left out. Stored with each step.
// Invariant: plain readonly JSON; tokens are reported tokens (the provider's count), unless a name says otherwise.
import type { Trust, WindowSource } from "../../base/message/message.ts";

export type TierName = "system" | "working" | "archive";

/** Minimum and maximum share of the budget for a tier, from 0 to 1. */
export interface TierLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/** Limits of a tier that is cut when the budget is too small: the tier with the largest priority number is cut first. */
export interface RankedTierLimits extends TierLimits {
  /** A whole number from 1; default as in `defaultTiers`. At equal priority, the archive is cut first. */
  readonly priority?: number | undefined;
}

export interface TierSettings {
  /** The system tier has no priority, because it is never cut. */
  readonly system: TierLimits;
  readonly working: RankedTierLimits;
  readonly archive: RankedTierLimits;
}

/** Default limits: the archive is cut first, and summaries keep their space however long the newest turns are. */
export const defaultTiers = {
  system: { minimum: 0, maximum: 1 },
  working: { minimum: 0, maximum: 1, priority: 2 },
  archive: { minimum: 0.1, maximum: 1, priority: 3 },
} as const satisfies TierSettings;

/**
 * `stable`: the prompt keeps an older snapshot of core memory, with later changes at the end of the request, so that
 * the provider's prompt cache stays valid. `inline`: the prompt contains current core memory.
 */
export type WindowLayout = "stable" | "inline";

/**
 * The parts that tiers consist of. State entries count with the turn that contains them. `turn`: the running turn; `retrieved`:
 * items retrieved for the turn's input; `openFiles`: the files that the agent has opened.
 */
export type WindowPart =
  | "tools"
  | "instructions"
  | "coreMemory"
  | "synopsis"
  | "openFiles"
  | "turn"
  | "recentTurns"
  | "summaries"
  | "olderTurns"
  | "retrieved";

export interface TierReport {
  readonly tokens: number;
  /** Tokens that the tier may use. The system tier and the running turn are always sent completely, even above this limit. */
  readonly granted: number;
  readonly parts: Readonly<Partial<Record<WindowPart, number>>>;
}

/** A part of the conversation that was not sent to the model, or was sent clipped. */
export interface LeftOut {
  /**
   * `turns` and `summaries`: the oldest were left out. `result`: a tool result was clipped to its beginning.
   * `retrieved`: the lowest ranked items were left out.
   */
  readonly part: "turns" | "summaries" | "result" | "retrieved";
  readonly count: number;
  readonly tokens: number;
  readonly reason: string;
}

/** The part that alone exceeds the budget left for it, so that no request can be made. */
export interface WindowOverflow {
  readonly part: "tools" | "instructions" | "coreMemory" | "synopsis" | "openFiles" | "turn";
  readonly tokens: number;
  readonly budget: number;
}

/** An item that was retrieved for the turn's input and is shown at the end of the request. */
export interface RetrievedPart {
  /** The memory in which the item was found: `working` or `archival`. */
  readonly source: string;
  readonly id: string;
  readonly tokens: number;
  readonly trust: Trust;
}

export interface ContextReport {
  readonly layout: WindowLayout;
  /** Tokens of the request. */
  readonly total: number;
  /** Tokens that the request would have if no turn or summary were left out. Long tool results are clipped as usual. */
  readonly demand: number;
  /** Size of the model's window in tokens; `reserve` of them are kept free for the reply. */
  readonly window: number;
  /** Where the size of the window comes from; absent in reports of earlier versions. */
  readonly windowFrom?: WindowSource | undefined;
  readonly reserve: number;
  /** `total` as the runtime's own tokenizer counts it, not as the provider does. */
  readonly counted: number;
  /** The provider's token count divided by the runtime's, in the model's last calls; 1 before the first call. */
  readonly factor: number;
  readonly tiers: Readonly<Record<TierName, TierReport>>;
  readonly leftOut: readonly LeftOut[];
  /** The retrieved items, best first; absent if nothing was retrieved. */
  readonly retrieved?: readonly RetrievedPart[];
  /**
   * Number of messages that compactions removed from the window, and of the summaries that replace them. The strategy
   * `truncate` leaves no summary.
   */
  readonly compacted: { readonly messages: number; readonly summaries: number };
  readonly overflow: WindowOverflow | null;
}
