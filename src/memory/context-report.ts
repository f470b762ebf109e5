// What the window held at one model call: tokens by tier and part, and what was left out. Stored with each step.
// Invariant: plain readonly JSON; tokens are as the provider reports them, unless a name says otherwise.
import type { Trust } from "../message/message.ts";

export type TierName = "system" | "working" | "archive";

/** The least and the most that a tier may take, as shares of the budget, from 0 to 1. */
export interface TierLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/** Limits of a tier that gives way in a short budget: the tier with the larger priority gives way first. */
export interface RankedTierLimits extends TierLimits {
  /** A whole number from 1; default that of `defaultTiers`. Of two equal ones, the archive gives way first. */
  readonly priority?: number | undefined;
}

export interface TierSettings {
  /** It has no priority, because it is never cut. */
  readonly system: TierLimits;
  readonly working: RankedTierLimits;
  readonly archive: RankedTierLimits;
}

/**
 * What holds unless an agent's settings say otherwise: the archive gives way first, and a summary has its place however long
 * the last turns are.
 */
export const defaultTiers = {
  system: { minimum: 0, maximum: 1 },
  working: { minimum: 0, maximum: 1, priority: 2 },
  archive: { minimum: 0.1, maximum: 1, priority: 3 },
} as const satisfies TierSettings;

/**
 * `stable`: the prompt keeps core memory as it was, and what has changed since stands at the end, so that what a provider
 * has in its cache stays valid. `inline`: the prompt holds core memory as it is now.
 */
export type WindowLayout = "stable" | "inline";

/**
 * What a tier is made of: `changes` is what stands at the end of the request, `turn` the running turn, `retrieved` what was
 * looked up for its input.
 */
export type WindowPart =
  | "tools"
  | "instructions"
  | "coreMemory"
  | "synopsis"
  | "changes"
  | "turn"
  | "recentTurns"
  | "summaries"
  | "olderTurns"
  | "retrieved";

export interface TierReport {
  readonly tokens: number;
  /** What it was given of the budget; system and the running turn are whole, whatever it says. */
  readonly granted: number;
  readonly parts: Readonly<Partial<Record<WindowPart, number>>>;
}

/** Something of the conversation that the model was not sent, or not whole. */
export interface LeftOut {
  /**
   * `turns` and `summaries`: the oldest of them. `result`: of a tool, of which the beginning was sent. `retrieved`: of what was
   * looked up for the input, the last in rank.
   */
  readonly part: "turns" | "summaries" | "result" | "retrieved";
  readonly count: number;
  readonly tokens: number;
  readonly reason: string;
}

/** Why no request could be made: this part alone is more than what is left of the budget for it. */
export interface WindowOverflow {
  readonly part: "tools" | "instructions" | "coreMemory" | "synopsis" | "changes" | "turn";
  readonly tokens: number;
  readonly budget: number;
}

/** Something that was looked up for the input of the turn and stands at the end of the request. */
export interface RetrievedPart {
  /** What it was found in: `working`, `archival`. */
  readonly source: string;
  readonly id: string;
  readonly tokens: number;
  readonly trust: Trust;
}

export interface ContextReport {
  readonly layout: WindowLayout;
  /** Of what is sent. */
  readonly total: number;
  /** Of what would be sent with every turn and summary, and with results as they are clipped. */
  readonly demand: number;
  /** Tokens of the model's window, and what of them is kept free for the reply. */
  readonly window: number;
  readonly reserve: number;
  /** `total` in counted tokens. */
  readonly counted: number;
  /** Reported over counted tokens of the last calls of the model; 1 while there are none. */
  readonly factor: number;
  readonly tiers: Readonly<Record<TierName, TierReport>>;
  readonly leftOut: readonly LeftOut[];
  /** Best first; absent where nothing was looked up. */
  readonly retrieved?: readonly RetrievedPart[];
  /** Messages that have left the window by compactions, and how many summaries stand in it for them; a truncation leaves none. */
  readonly compacted: { readonly messages: number; readonly summaries: number };
  readonly overflow: WindowOverflow | null;
}
