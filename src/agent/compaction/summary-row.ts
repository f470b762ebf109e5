// Writes a summary, with the model and cost for its compaction, and warnings if it failed or was cut.
// Invariant: a summary is within its share of the window; a failing summarizer costs the summary, never the turn.
import { formatMinute } from "../../base/calendar.ts";
import { summarize } from "../../context/compaction/summarize.ts";
import { summaryMessages, summaryTokens } from "../../context/compaction/summary-text.ts";
import type { TranscriptMessage } from "../../context/compaction/transcript.ts";
import { dollarsOf, noUsage } from "../../message/message.ts";
import type { NewCompaction } from "../../memory/compaction-store.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { WarningCode } from "../events.ts";
import type { AgentDeps } from "../turn.ts";
import { agentLimits, summarizerWindow, type WindowDeps } from "../window-size.ts";

export type SummaryDeps = WindowDeps &
  Pick<
    AgentDeps,
    "conversationId" | "store" | "session" | "summarizer" | "summarizerPrice" | "pressure" | "ids" | "describeTools"
  > & {
    readonly signal?: AbortSignal;
  };

export interface CompactionWarning {
  readonly code: Extract<WarningCode, "summary-failed" | "summary-clipped">;
  readonly message: string;
}

export interface SummaryRow {
  readonly compaction: NewCompaction;
  readonly warnings: readonly CompactionWarning[];
}

export interface SummaryRequest {
  readonly messages: readonly StoredMessage[];
  readonly previous: string | null;
  readonly focus: string | null;
  /** `whole`: of everything that left the window. `entry`: of one ring entry. `merge`: of several ring entries. */
  readonly kind: "whole" | "entry" | "merge";
  /** The text that is used if the summarizer fails. */
  readonly fallback: string;
}

type WrittenSummary = Pick<NewCompaction, "summary" | "model" | "usage" | "dollars">;

/** For a compaction without a model call. */
export const noModelCall = { model: null, usage: noUsage, dollars: 0 } as const;

/** Returns the maximum counted tokens of all summaries in the window together: a quarter of the window. */
export function summaryShare(deps: SummaryDeps): number {
  return Math.floor(agentLimits(deps).window / 4);
}

/**
 * Returns the maximum counted tokens of messages in one request to the summarizer. The rest of its window is for prompt
 * and answer.
 */
export function summarizerBatch(deps: SummaryDeps): number {
  const { window, scale } = summarizerWindow(deps);
  return scale.counted(window / 2);
}

/**
 * Returns the maximum counted tokens of a summary of this kind in the window, including the message and the note around
 * it.
 */
export function summaryRoom(deps: SummaryDeps, kind: SummaryRequest["kind"]): number {
  const { cut, messages } = deps.session;
  const threadMessages = cut + messages.length;
  const summary = { text: "…", fromPosition: 1, throughPosition: threadMessages, threadMessages };
  // Each entry of a ring is shown with its range.
  const summaries = kind === "entry" ? [summary, summary] : [summary];
  return maxSummaryTokens(deps, kind) + summaryTokens(summaryMessages(summaries, summaries), deps.countTokens);
}

export async function writeSummary(
  deps: SummaryDeps,
  { messages, previous, focus, kind, fallback }: SummaryRequest,
): Promise<{ readonly written: WrittenSummary; readonly warnings: readonly CompactionWarning[] }> {
  const { agent, summarizer, summarizerPrice, countTokens, signal } = deps;
  const { text, failure, usage, clippedTokens } = await summarize({
    model: summarizer,
    messages: messages.map((message) => withTime(message, agent.settings.timeZone)),
    previous,
    focus,
    maxTokens: maxSummaryTokens(deps, kind),
    scale: summarizerWindow(deps).scale,
    batchTokens: summarizerBatch(deps),
    count: countTokens,
    ...(signal === undefined ? {} : { signal }),
  });
  const dollars = summarizerPrice === null ? null : dollarsOf(usage, summarizerPrice);
  const model = text === null ? null : summarizer.name;
  const warnings = [...failed(failure), ...clipped(clippedTokens)];
  return { written: { summary: text ?? fallback, model, usage, dollars }, warnings };
}

/** Names the time of a user's message beside its role, so that the summary can keep dates. */
function withTime(message: StoredMessage, timeZone: string): TranscriptMessage {
  if (message.role !== "user") return message;
  return { ...message, role: `user, ${formatMinute(message.at, timeZone)}` };
}

function maxSummaryTokens(deps: SummaryDeps, kind: SummaryRequest["kind"]): number {
  const half = Math.floor(summaryShare(deps) / 2);
  const maxTokens = kind === "entry" ? Math.min(500, Math.floor(half / 4)) : Math.min(1000, half);
  // The summarizer's prompt and answer must fit in its window together with its batch.
  const { window, scale } = summarizerWindow(deps);
  return Math.max(1, Math.min(maxTokens, scale.counted(window / 8)));
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
