// Reports a compiled window in reported tokens (the provider's count).
// Invariant: pure; each number is rounded up separately, so the parts add up to the total within one token each.
import type { ContextReport, LeftOut, TierReport, WindowLayout } from "../../store/port/context-report.ts";
import type { TokenScale, WindowSize } from "../../model/tokens/token-scale.ts";
import type { PlacedFiles, PlacedRetrieval } from "./place-files-and-hits.ts";
import type { FilledWindow, FixedTokens } from "./fill-window.ts";

export interface ReportedWindow extends WindowSize {
  readonly layout: WindowLayout;
  readonly scale: TokenScale;
  readonly fixed: FixedTokens;
  readonly filled: FilledWindow;
  /** Null if nothing was retrieved. */
  readonly retrieved: PlacedRetrieval | null;
  /** Null without open files. */
  readonly files: PlacedFiles | null;
  /** Messages that summaries replace. */
  readonly compacted: number;
}

export function reportWindow({ filled, fixed, retrieved, files, compacted, ...window }: ReportedWindow): ContextReport {
  const { layout, scale, reserve } = window;
  const { reported } = scale;
  const retrievedTokens = retrieved?.tokens ?? 0;
  const { turn, recentTurns, summaries, olderTurns } = filled.tokens;
  const tier = (granted: number, parts: TierReport["parts"]): TierReport => {
    const sizes = Object.entries(parts);
    const tokens = reported(sizes.reduce((sum, [, size]) => sum + size, 0));
    const reportedParts = Object.fromEntries(sizes.map(([name, size]) => [name, reported(size)]));
    return { tokens, granted: reported(granted), parts: reportedParts };
  };
  const tiers = {
    system: tier(filled.granted.system, fixed),
    working: tier(filled.granted.working, { turn, recentTurns }),
    archive: tier(filled.granted.archive + retrievedTokens, {
      summaries,
      olderTurns,
      ...(retrievedTokens === 0 ? {} : { retrieved: retrievedTokens }),
    }),
  };
  const counted = [fixed, filled.tokens]
    .flatMap((parts) => Object.values(parts))
    .reduce((sum, part) => sum + part, retrievedTokens);
  const shown = filled.turns.flatMap((sent) => sent.found);
  const found = [...shown, ...(files?.parts ?? []), ...(retrieved?.parts ?? [])].map((part) => ({
    ...part,
    tokens: reported(part.tokens),
  }));
  const { overflow } = filled;
  return {
    layout,
    total: reported(counted),
    demand: reported(filled.demand),
    window: window.window,
    windowFrom: window.from,
    reserve,
    counted,
    factor: scale.factor,
    tiers,
    leftOut: [...filled.leftOut, ...(retrieved === null ? [] : leftOutOf(retrieved))].map((entry) => ({
      ...entry,
      tokens: reported(entry.tokens),
    })),
    ...(found.length === 0 ? {} : { retrieved: found }),
    compacted: { messages: compacted, summaries: (filled.summaries ?? []).filter(({ text }) => text !== "").length },
    overflow: overflow && {
      ...overflow,
      tokens: reported(overflow.tokens),
      budget: scale.reportedLimit(overflow.budget),
    },
  };
}

function leftOutOf({ left }: PlacedRetrieval): readonly LeftOut[] {
  if (left.count === 0) return [];
  return [{ part: "retrieved", ...left, reason: "the conversation has left no room for it" }];
}
