// A summary with what is kept about it in a compaction: who wrote it, what it cost, and what is told when it failed.
// Invariant: a summary is within its share of the window; a failing summarizer costs the summary, never the turn.
import { summarize } from "../context/summarize.ts";
import { dollarsOf, noUsage } from "../message.ts";
import type { NewCompaction } from "../memory/compaction-store.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { WarningCode } from "./events.ts";
import { type AgentParts, windowTokens } from "./turn.ts";

export type SummaryParts = AgentParts & { readonly signal?: AbortSignal };

export interface CompactionWarning {
  readonly code: Extract<WarningCode, "summary-failed" | "summary-clipped">;
  readonly message: string;
}

export interface SummaryRow {
  readonly compaction: NewCompaction;
  readonly warnings: readonly CompactionWarning[];
}

export interface SummaryWish {
  readonly messages: readonly StoredMessage[];
  readonly previous: string | null;
  readonly focus: string | null;
  /** Of all that left the window, of one entry of a ring, or of several entries that become one. */
  readonly kind: "whole" | "entry" | "merge";
  /** What stands in its place when there is none. */
  readonly otherwise: string;
}

type Written = Pick<NewCompaction, "summary" | "model" | "usage" | "dollars">;

/** Of a compaction that no model was asked about. */
export const nothingSpent = { model: null, usage: noUsage, dollars: 0 } as const;

/** Tokens that all summaries of a window may have together: a quarter of it. */
export function summaryShare(parts: AgentParts): number {
  return Math.floor(windowTokens(parts) / 4);
}

/** Tokens of messages that the summarizer is given at a time: the rest of its window is for its answer and what it is told. */
export function summarizerBatch(parts: AgentParts): number {
  return Math.floor(summarizerWindow(parts) / 2);
}

export async function summaryRow(
  parts: SummaryParts,
  { messages, previous, focus, kind, otherwise }: SummaryWish,
): Promise<{ readonly written: Written; readonly warnings: readonly CompactionWarning[] }> {
  const { summarizer, summarizerPrice, countTokens, signal } = parts;
  const { text, failure, usage, clippedTokens } = await summarize({
    model: summarizer,
    messages,
    previous,
    focus,
    maxOutputTokens: mostTokens(parts, kind),
    batchTokens: summarizerBatch(parts),
    count: countTokens,
    ...(signal === undefined ? {} : { signal }),
  });
  const dollars = summarizerPrice === null ? null : dollarsOf(usage, summarizerPrice);
  const model = text === null ? null : summarizer.name;
  const warnings = [...failed(failure), ...clipped(clippedTokens)];
  return { written: { summary: text ?? otherwise, model, usage, dollars }, warnings };
}

// A model of its own has its own window; the agent's may have been told a smaller one than it has.
function summarizerWindow(parts: AgentParts): number {
  const { summarizer, agent } = parts;
  const own = summarizer.contextWindow;
  return agent.settings.summarizer === null ? Math.min(windowTokens(parts), own) : own;
}

function mostTokens(parts: AgentParts, kind: SummaryWish["kind"]): number {
  const half = Math.floor(summaryShare(parts) / 2);
  const most = kind === "entry" ? Math.min(500, Math.floor(half / 4)) : Math.min(1000, half);
  // What is asked of the summarizer has to fit beside its batch.
  return Math.max(1, Math.min(most, Math.floor(summarizerWindow(parts) / 8)));
}

function failed(failure: string | null): readonly CompactionWarning[] {
  if (failure === null) return [];
  const message = `The older messages could not be summarized (${failure}); they left the window without a summary. They can still be found with conversation_search.`;
  return [{ code: "summary-failed", message }];
}

function clipped(tokens: number): readonly CompactionWarning[] {
  if (tokens === 0) return [];
  const message = `The summary of the older messages was longer than its share of the window: its last ${tokens} tokens were cut off. The messages can still be found with conversation_search.`;
  return [{ code: "summary-clipped", message }];
}
