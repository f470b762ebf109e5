// The report of a compiled window, in calibrated tokens.
// Invariant: pure; each number is rounded up by itself, so that the parts add up to the total within a token each.
import type { ContextReport, TierReport, WindowLayout } from "../memory/context-report.ts";
import type { FilledWindow, FixedTokens } from "./fill-window.ts";

export interface ReportedWindow {
  readonly layout: WindowLayout;
  readonly window: number;
  readonly reserve: number;
  readonly factor: number;
  readonly fixed: FixedTokens;
  readonly filled: FilledWindow;
  /** Messages that summaries stand for. */
  readonly compacted: number;
}

export function reportWindow({ filled, fixed, compacted, ...window }: ReportedWindow): ContextReport {
  const { layout, factor, reserve } = window;
  const calibrated = (tokens: number): number => Math.ceil(tokens * factor);
  const { turn, recentTurns, summaries, olderTurns } = filled.tokens;
  const tier = (granted: number, parts: TierReport["parts"]): TierReport => {
    const sizes = Object.entries(parts);
    const tokens = calibrated(sizes.reduce((sum, [, size]) => sum + size, 0));
    const calibratedParts = Object.fromEntries(sizes.map(([name, size]) => [name, calibrated(size)]));
    return { tokens, granted: calibrated(granted), parts: calibratedParts };
  };
  const tiers = {
    system: tier(filled.granted.system, fixed),
    working: tier(filled.granted.working, { turn, recentTurns }),
    archive: tier(filled.granted.archive, { summaries, olderTurns }),
  };
  const counted = [fixed, filled.tokens].flatMap((parts) => Object.values(parts)).reduce((sum, part) => sum + part, 0);
  const { overflow } = filled;
  return {
    layout,
    total: calibrated(counted),
    demand: calibrated(filled.demand),
    window: window.window,
    reserve,
    counted,
    factor,
    tiers,
    leftOut: filled.leftOut.map((entry) => ({ ...entry, tokens: calibrated(entry.tokens) })),
    compacted: { messages: compacted, summaries: (filled.summaries ?? []).filter(({ text }) => text !== "").length },
    overflow: overflow && {
      ...overflow,
      tokens: calibrated(overflow.tokens),
      budget: Math.floor(overflow.budget * factor),
    },
  };
}
