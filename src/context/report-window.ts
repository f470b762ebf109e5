// The report of a compiled window, in calibrated tokens.
// Invariant: pure; each number is rounded up by itself, so that the parts add up to the total within a token each.
import type { ContextReport, LeftOut, TierReport, WindowLayout } from "../memory/context-report.ts";
import type { PlacedRetrieval } from "./place-retrieved.ts";
import type { FilledWindow, FixedTokens } from "./fill-window.ts";

export interface ReportedWindow {
  readonly layout: WindowLayout;
  readonly window: number;
  readonly reserve: number;
  readonly factor: number;
  readonly fixed: FixedTokens;
  readonly filled: FilledWindow;
  readonly retrieved: PlacedRetrieval;
  /** Messages that summaries stand for. */
  readonly compacted: number;
}

export function reportWindow({ filled, fixed, retrieved, compacted, ...window }: ReportedWindow): ContextReport {
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
    archive: tier(filled.granted.archive + retrieved.tokens, {
      summaries,
      olderTurns,
      ...(retrieved.tokens === 0 ? {} : { retrieved: retrieved.tokens }),
    }),
  };
  const counted = [fixed, filled.tokens]
    .flatMap((parts) => Object.values(parts))
    .reduce((sum, part) => sum + part, retrieved.tokens);
  const found = retrieved.parts.map((part) => ({ ...part, tokens: calibrated(part.tokens) }));
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
    leftOut: [...filled.leftOut, ...leftOutOf(retrieved)].map((entry) => ({
      ...entry,
      tokens: calibrated(entry.tokens),
    })),
    ...(found.length === 0 ? {} : { retrieved: found }),
    compacted: { messages: compacted, summaries: (filled.summaries ?? []).filter(({ text }) => text !== "").length },
    overflow: overflow && {
      ...overflow,
      tokens: calibrated(overflow.tokens),
      budget: Math.floor(overflow.budget * factor),
    },
  };
}

function leftOutOf({ left }: PlacedRetrieval): readonly LeftOut[] {
  if (left.count === 0) return [];
  return [{ part: "retrieved", ...left, reason: "the conversation has left no room for it" }];
}
