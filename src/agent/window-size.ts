// The sizes of the agent's window and of its summarizer's, and their limits in counted tokens.
// Invariant: a size is in the tokens that the provider reports, and is only for requests, reports and usage; what is
// compared with counted texts is a limit in counted tokens.
import { tokensInWindow } from "../context/window/clip-results.ts";
import type { StoredMessage } from "../memory/records.ts";
import { type TokenScale, unscaled, type WindowLimits, windowLimits, type WindowSize } from "../tokens/token-scale.ts";
import type { AgentDeps } from "./turn.ts";

/** What sizes and token counts of the window are computed from. */
export type WindowDeps = Pick<AgentDeps, "agent" | "model" | "calibration" | "countTokens" | "render">;

/** Share of the window that is kept free for the reply, unless the reply may not be that long. */
const reserveShare = 1 / 8;

/** In reported tokens: the agent's own setting, or the model's window. */
export function windowSize({ agent, model }: Pick<AgentDeps, "agent" | "model">): WindowSize {
  const window = agent.settings.contextWindow ?? model.contextWindow;
  return { window, reserve: Math.min(agent.settings.maxOutputTokens, Math.floor(window * reserveShare)) };
}

/** In counted tokens. */
export interface AgentLimits extends WindowLimits {
  readonly window: number;
  /** Above which older messages leave the window. */
  readonly compaction: number;
}

export function agentLimits(deps: Pick<AgentDeps, "agent" | "model" | "calibration">): AgentLimits {
  const { scale } = deps.calibration;
  const { window, reserve } = windowSize(deps);
  return {
    ...windowLimits({ window, reserve }, scale),
    window: scale.counted(window),
    compaction: scale.counted(Math.min(deps.agent.settings.compactAt * window, window - reserve)),
  };
}

/** Gives the counted tokens of a message as it is in the window, where long results are clipped. */
export function messageSizes(deps: WindowDeps): (message: StoredMessage) => number {
  const { render, countTokens: count } = deps;
  const { result: maxTokens } = agentLimits(deps);
  return (message) => tokensInWindow(message, { render, count, maxTokens });
}

export interface SummarizerWindow {
  /** In reported tokens. */
  readonly window: number;
  /** Between the agent's counts and what the summarizer's provider reports. */
  readonly scale: TokenScale;
}

/** The agent's own model may be given a smaller window than it has; of another model, no usage is known. */
export function summarizerWindow(deps: WindowDeps & Pick<AgentDeps, "summarizer">): SummarizerWindow {
  const { summarizer, agent, calibration } = deps;
  const own = summarizer.contextWindow;
  if (agent.settings.summarizer !== null) return { window: own, scale: unscaled };
  return { window: Math.min(windowSize(deps).window, own), scale: calibration.scale };
}
