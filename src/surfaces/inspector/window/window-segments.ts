// Divides a window into segments to draw, in the order of the request.
// Invariant: pure; the segments together are the whole window, even if the request is larger than the window.
import type { ContextReport, TierName, WindowPart } from "../../../store/port/context-report.ts";

export interface Segment {
  readonly part: WindowPart | "free" | "reply";
  /** The tier of the part; null for free space and the space for the reply. */
  readonly tier: TierName | null;
  readonly tokens: number;
  /** Share of the window or, if the request is larger than the window, of the request: 0 to 1. */
  readonly share: number;
}

const order: readonly WindowPart[] = [
  "tools",
  "instructions",
  "coreMemory",
  "synopsis",
  "summaries",
  "olderTurns",
  "recentTurns",
  "turn",
  "openFiles",
  "retrieved",
];

export const segmentNames: Readonly<Record<Segment["part"], string>> = {
  tools: "tools",
  instructions: "instructions",
  coreMemory: "core memory",
  synopsis: "synopsis",
  summaries: "summaries",
  olderTurns: "older turns",
  recentTurns: "last turns",
  turn: "last turn",
  openFiles: "open files",
  retrieved: "retrieved",
  free: "free",
  reply: "kept for the reply",
};

export function segmentsOf({ tiers, window, reserve, total }: ContextReport): readonly Segment[] {
  const sizes = (["system", "working", "archive"] as const).flatMap((tier) =>
    Object.entries(tiers[tier].parts).map(([part, tokens]) => ({
      part: part as WindowPart,
      tier,
      tokens: tokens ?? 0,
    })),
  );
  const parts = order.flatMap((part) => sizes.filter((size) => size.part === part && size.tokens > 0));
  const free = Math.max(0, window - reserve - total);
  const all: readonly Omit<Segment, "share">[] = [
    ...parts,
    { part: "free" as const, tier: null, tokens: free },
    { part: "reply" as const, tier: null, tokens: reserve },
  ].filter(({ tokens }) => tokens > 0);
  const sum = all.reduce((whole, { tokens }) => whole + tokens, 0);
  return all.map((segment) => ({ ...segment, share: sum === 0 ? 0 : segment.tokens / sum }));
}

/** Returns the share of the reported input tokens that was cached; null if nothing was reported. */
export function cachedShare(usage: {
  readonly inputTokens?: unknown;
  readonly cachedInputTokens?: unknown;
}): number | null {
  const input = Number(usage.inputTokens ?? 0);
  return input > 0 ? Math.min(1, Number(usage.cachedInputTokens ?? 0) / input) : null;
}
