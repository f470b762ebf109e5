// The window sizes of the agent and its summarizer, their limits in counted tokens, and the error message for a part
// that exceeds its limit.
// Invariant: a size is in reported tokens and is used only for requests, reports and usage; texts are compared with
// limits in counted tokens.
import { tokensInWindow } from "../context/window/clip-results.ts";
import type { StoredMessage } from "../store/port/records.ts";
import {
  type TokenScale,
  unscaled,
  type WindowLimits,
  windowLimits,
  type WindowSize,
} from "../model/tokens/token-scale.ts";
import type { AgentDeps } from "./turn.ts";
import type { WindowOverflow } from "../store/port/context-report.ts";

export type WindowDeps = Pick<AgentDeps, "agent" | "models" | "window">;

/** Share of the window that is reserved for the reply, unless the maximum reply is shorter. */
const reserveShare = 1 / 8;

/** Returns the size in reported tokens: the agent's setting, or the model's window. */
export function windowSize({ agent, models }: Pick<AgentDeps, "agent" | "models">): WindowSize {
  const { contextWindow: own, maxOutputTokens } = agent.settings;
  const window = own ?? models.answering.contextWindow;
  const from = own === null ? (models.answering.windowFrom ?? "model") : "setting";
  return { window, from, reserve: Math.min(maxOutputTokens, Math.floor(window * reserveShare)) };
}

/** Limits in counted tokens. */
export interface AgentLimits extends WindowLimits {
  readonly window: number;
  /** Size above which older messages leave the window. */
  readonly compaction: number;
}

export function agentLimits(deps: Pick<AgentDeps, "agent" | "models" | "window">): AgentLimits {
  const { scale } = deps.window.calibration;
  const { window, reserve } = windowSize(deps);
  return {
    ...windowLimits({ window, reserve }, scale),
    window: scale.counted(window),
    compaction: scale.counted(Math.min(deps.agent.settings.compactAt * window, window - reserve)),
  };
}

/** Returns a function that counts a message's tokens in the window, where long results are clipped. */
export function messageSizes(deps: WindowDeps): (message: StoredMessage) => number {
  const { render, countTokens: count } = deps.window;
  const { result: maxTokens } = agentLimits(deps);
  return (message) => tokensInWindow(message, { render, count, maxTokens });
}

export interface SummarizerWindow {
  /** The size in reported tokens. */
  readonly window: number;
  /** Converts between the agent's counts and the tokens that the summarizer's provider reports. */
  readonly scale: TokenScale;
}

/**
 * Returns the summarizer's window. The agent's window and calibration apply only if its own model is the summarizer.
 */
export function summarizerWindow(deps: WindowDeps & Pick<AgentDeps, "models">): SummarizerWindow {
  const { models, agent, window } = deps;
  const own = models.summarizer.contextWindow;
  if (agent.settings.summarizer !== null) return { window: own, scale: unscaled };
  return { window: Math.min(windowSize(deps).window, own), scale: window.calibration.scale };
}

const advice: Readonly<Record<WindowOverflow["part"], readonly [name: string, advice: string]>> = {
  turn: ["This turn alone", "Remove the long message with `agent.pop()`"],
  coreMemory: ["Core memory", "Shorten its modules (`runtime.memory.set()`)"],
  synopsis: ["The synopsis", "Turn it off (the setting `synopsis`)"],
  openFiles: ["The open files", "Open fewer lines"],
  instructions: ["The system prompt", "Shorten it"],
  tools: ["The list of tools", "Give the agent fewer tools"],
};

export function overflowMessage({ part, tokens, budget }: WindowOverflow): string {
  const [name, remedy] = advice[part];
  return `${name} takes ${tokens} tokens, and the context window has room for ${budget}. ${remedy}, or give the agent a larger window.`;
}
