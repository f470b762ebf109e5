// Writes a summary of messages and of the text documents attached to them. Returns the summary with its model, usage
// and cost, and with warnings if the summarizer failed or the summary was cut.
// Invariant: a summary is within its share of the window; if the summarizer fails, the turn continues without a
// summary. Documents are read one at a time, long ones without their middle; the stored messages do not change.
import { formatMinute } from "../../base/calendar.ts";
import { escapeFrames } from "../../base/message/reserved-tags.ts";
import { summarize } from "../../context/compaction/summarize.ts";
import { takeTokens, cutMiddle } from "../../context/cut-text.ts";
import { summaryMessages, summaryTokens } from "../../context/compaction/summary-text.ts";
import type { TranscriptMessage } from "../../context/compaction/transcript.ts";
import { dollarsOf, noUsage, type Trust, type ContentPart } from "../../base/message/message.ts";
import type { NewCompaction } from "../../store/port/compaction-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { loadPrompt } from "../../context/prompts/load-prompt.ts";
import type { WarningCode } from "../events.ts";
import { type AgentDeps, agentLimits, summarizerWindow, type WindowDeps } from "../turn.ts";
import { type FilePart, isText } from "../../base/message/file-part.ts";

export type SummaryDeps = WindowDeps &
  Pick<AgentDeps, "conversationId" | "store" | "session" | "memories" | "models" | "window" | "ids" | "tools"> & {
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
  /** Which messages are summarized. `whole`: all that left the window; `entry`: one ring entry's; `merge`: several entries'. */
  readonly kind: "whole" | "entry" | "merge";
  /** The text that is used if the summarizer fails. */
  readonly fallback: string;
}

/** Returns the trust of each module of core memory that the summarizer was shown. */
export function knownModules({ session }: SummaryDeps): readonly { readonly trust: Trust }[] {
  return [...session.core.shown.trust.values()].map((trust) => ({ trust }));
}

/** Maximum share of a request to the summarizer that the text of one file takes. */
const fileShare = 1 / 8;

type WrittenSummary = Pick<NewCompaction, "summary" | "model" | "usage" | "dollars">;

/** The model, usage and cost of a compaction without a model call. */
export const noModelCall = { model: null, usage: noUsage, dollars: 0 } as const;

/** Returns the maximum counted tokens of all summaries in the window together: a quarter of the window. */
export function summaryShare(deps: SummaryDeps): number {
  return Math.floor(agentLimits(deps).window / 4);
}

/** Two shares of the summarizer's window: for core memory, and kept free because token counts are estimates. */
const memoryShare = 1 / 4;
const spareShare = 1 / 8;

/**
 * Returns the maximum counted tokens of messages in one request to the summarizer. The rest of its window is for the
 * prompt with core memory, the earlier summaries, and the answer. `previousTokens`: tokens of the earlier summaries;
 * default: the maximum of one summary.
 */
export function summarizerBatch(deps: SummaryDeps, previousTokens = maxSummaryTokens(deps, "whole")): number {
  const window = countedWindow(deps);
  const { countTokens } = deps.window;
  const prompt = countTokens(loadPrompt("summarize")) + countTokens(knownMemory(deps));
  const rest = window * (1 - spareShare) - prompt - previousTokens - maxSummaryTokens(deps, "whole");
  return Math.floor(Math.max(rest, window * memoryShare));
}

function countedWindow(deps: SummaryDeps): number {
  const { window, scale } = summarizerWindow(deps);
  return scale.counted(window);
}

/** Returns core memory as the prompt will show it after the compaction, so that a summary need not repeat it. */
function knownMemory(deps: SummaryDeps): string {
  const maxTokens = Math.floor(countedWindow(deps) * memoryShare);
  return takeTokens(escapeFrames(deps.session.memory.render()), maxTokens, deps.window.countTokens);
}

/** Returns the maximum counted tokens of a summary of this kind as a message in the window, including the note before it. */
export function summaryRoom(deps: SummaryDeps, kind: SummaryRequest["kind"]): number {
  const summary = { text: "…", throughPosition: 1 };
  // For an entry, two summaries are rendered, because the window numbers summaries only if there are several.
  const summaries = kind === "entry" ? [summary, summary] : [summary];
  return maxSummaryTokens(deps, kind) + summaryTokens(summaryMessages(summaries, summaries), deps.window.countTokens);
}

export async function writeSummary(
  deps: SummaryDeps,
  { messages, previous, focus, kind, fallback }: SummaryRequest,
): Promise<{ readonly written: WrittenSummary; readonly warnings: readonly CompactionWarning[] }> {
  const { agent, models, window, signal } = deps;
  const { summarizer, summarizerPrice } = models;
  const { countTokens } = window;
  const batchTokens = summarizerBatch(deps, countTokens(previous ?? ""));
  const read = await withFileTexts(deps, messages, Math.floor(batchTokens * fileShare));
  const { text, failure, usage, clippedAt } = await summarize({
    model: summarizer,
    messages: read.map((message) => withTime(message, agent.settings.timeZone)),
    previous,
    memory: knownMemory(deps),
    focus,
    maxTokens: maxSummaryTokens(deps, kind),
    scale: summarizerWindow(deps).scale,
    batchTokens,
    count: countTokens,
    ...(signal === undefined ? {} : { signal }),
  });
  const dollars = summarizerPrice === null ? null : dollarsOf(usage, summarizerPrice);
  const model = text === null ? null : summarizer.name;
  const warnings = [...failed(failure), ...clipped(clippedAt)];
  return { written: { summary: text ?? fallback, model, usage, dollars }, warnings };
}

/** Adds the time of a user's message to its role, so that the summary can keep dates. */
function withTime(message: StoredMessage, timeZone: string): TranscriptMessage {
  if (message.role !== "user") return message;
  return { ...message, role: `user, ${formatMinute(message.at, timeZone)}` };
}

/**
 * The maximum tokens of a summary: `share` of the window, raised to `min` or lowered to `max` if needed, and never
 * above the share `most`. Every model can answer with `max` tokens.
 */
const summaryLengths = {
  whole: { share: 1 / 32, min: 1000, max: 4000, most: 1 / 8 },
  entry: { share: 1 / 128, min: 500, max: 1000, most: 1 / 32 },
} as const;

/** Share of the summarizer's window for the answer. */
const answerShare = 1 / 8;

function maxSummaryTokens(deps: SummaryDeps, kind: SummaryRequest["kind"]): number {
  const { window } = agentLimits(deps);
  const { share, min, max, most } = summaryLengths[kind === "entry" ? "entry" : "whole"];
  const tokens = Math.min(Math.max(window * share, min), max, window * most, countedWindow(deps) * answerShare);
  return Math.max(1, Math.floor(tokens));
}

function failed(failure: string | null): readonly CompactionWarning[] {
  if (failure === null) return [];
  const message = `The older messages could not be summarized (${failure}); they left the window without a summary. They can still be found with conversation_search.`;
  return [{ code: "summary-failed", message }];
}

const clippedReasons = {
  share: "was longer than its share of the window",
  limit: "reached the maximum of tokens of an answer, which includes thoughts",
} as const;

function clipped(at: keyof typeof clippedReasons | null): readonly CompactionWarning[] {
  if (at === null) return [];
  const message = `The summary of the older messages ${clippedReasons[at]}: its end was cut off. The messages can still be found with conversation_search.`;
  return [{ code: "summary-clipped", message }];
}

type FileDeps = Pick<AgentDeps, "memories" | "window">;

/**
 * Returns the messages with the texts of their files, each cut to `maxTokens`. A file without stored content stays a
 * reference.
 */
export async function withFileTexts(
  deps: FileDeps,
  messages: readonly StoredMessage[],
  maxTokens: number,
): Promise<readonly StoredMessage[]> {
  const all: StoredMessage[] = [];
  for (const message of messages) {
    const content: ContentPart[] = [];
    for (const part of message.content)
      content.push(part.type === "file" && isText(part) ? await readPart(deps, part, maxTokens) : part);
    const isRead = content.some((part, at) => part !== message.content[at]);
    const texts = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    all.push(isRead ? { ...message, content, tokens: deps.window.countTokens(texts) } : message);
  }
  return all;
}

async function readPart(
  { memories, window: { countTokens: count } }: FileDeps,
  file: FilePart,
  maxTokens: number,
): Promise<ContentPart> {
  const data = await memories.attachments.load(file);
  if (data === null) return file;
  const text = new TextDecoder().decode(data);
  const tokens = file.textTokens ?? count(text);
  return { type: "text", text: `[file ${file.name}: ${cutMiddle(text, { tokens, maxTokens, count })}]` };
}
