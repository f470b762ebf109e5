// Summarizes messages with a model: one running summary, to which each batch of messages is added. Each request lists what a
// summary easily gets wrong: texts that edits of core memory replaced, and words that cannot be paraphrased, such as
// numbers, codes and names of files.
// Invariant: a summary covers all the messages, or there is none: one failed batch, empty answer or refusal fails the summary.
// Only successful edits that replace a text are listed, not removals, because the removed text may still be true elsewhere.
import { takeCodePoints } from "../../base/code-points.ts";
import { ModelError } from "../../base/errors.ts";
import { parseObject } from "../../base/json-values.ts";
import { addUsage, type ContentPart, noUsage, type ToolCallPart, type Usage } from "../../base/message/message.ts";
import type { Model } from "../../model/llm/model.ts";
import type { TokenScale } from "../../model/tokens/token-scale.ts";
import { takeTokens } from "../cut-text.ts";
import { loadPrompt } from "../prompts/load-prompt.ts";
import { type ModelAnswer, readAnswer } from "../read-answer.ts";
import { transcriptBatches, type TranscriptMessage } from "./transcript.ts";

export interface SummaryRequest {
  readonly model: Model;
  readonly messages: readonly TranscriptMessage[];
  /** The summary of the messages before these, to be continued; null if there is none. */
  readonly previous: string | null;
  /** Core memory, which the reader of the summary will also have, so that the summary need not repeat it; "" for none. */
  readonly memory: string;
  /** The topic that the summary must keep, in the user's words; null for none. */
  readonly focus: string | null;
  /** Maximum counted tokens of the summary. */
  readonly maxTokens: number;
  /** The token scale of the model. It converts `maxTokens`, because the model's output limit is in reported tokens. */
  readonly scale: TokenScale;
  /** Maximum counted tokens of the messages in one request. */
  readonly batchTokens: number;
  readonly count: (text: string) => number;
  readonly signal?: AbortSignal;
}

export interface SummaryOutcome {
  /** The summary; null if it failed. */
  readonly text: string | null;
  /** Why the summary failed; null if it did not. */
  readonly failure: string | null;
  /**
   * Why the end is missing: the summary was longer than its `share`, or the answer, with its thoughts, reached the `limit` of a
   * reply; null if the summary is complete.
   */
  readonly clippedAt: "share" | "limit" | null;
  /** Usage of all calls, as the provider reports it. */
  readonly usage: Usage;
}

/** Returns the summary, or why it failed. Throws only errors that are not the model's, such as the signal's reason. */
export async function summarize(request: SummaryRequest): Promise<SummaryOutcome> {
  const { maxTokens, count } = request;
  let usage = noUsage;
  let summary = request.previous;
  let clippedAt: SummaryOutcome["clippedAt"] = null;
  const transcripts = transcriptBatches(request.messages, request.batchTokens, count);
  if (transcripts.length === 0) summary = takeTokens(summary ?? "", maxTokens, count);
  for (const transcript of transcripts) {
    const folded = await foldIn(request, summary, transcript);
    usage = addUsage(usage, folded.usage);
    if (folded.failure !== null) return { text: null, failure: folded.failure, clippedAt: null, usage };
    const within = takeTokens(folded.text, maxTokens, count);
    if (within.length < folded.text.length) clippedAt = "share";
    else if (folded.isCut) clippedAt ??= "limit";
    summary = within;
  }
  return { text: summary ?? "", failure: null, clippedAt, usage };
}

interface Folded extends Pick<ModelAnswer, "text" | "usage"> {
  readonly failure: string | null;
  /** Whether the provider cut the text at the limit of the reply. */
  readonly isCut: boolean;
}

async function foldIn(request: SummaryRequest, previous: string | null, transcript: string): Promise<Folded> {
  const replaced = replacedTexts(request.messages);
  const earlier = previous === null ? "" : `Earlier summary: ${previous}\n\n${keptNote(previous, replaced)}`;
  const asked = `${earlier}${replacedNote(replaced)}${transcript}`;
  const system = { instructions: instructions(request), memory: request.memory };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: asked }] }];
  const { model, maxTokens, scale, signal } = request;
  const maxOutputTokens = Math.max(1, scale.reportedLimit(maxTokens));
  try {
    const { text, stopReason, usage } = await readAnswer(
      model,
      { system, messages, tools: [], maxOutputTokens },
      signal,
    );
    const summary = text.trim();
    // Thoughts may use up all tokens of the answer, which is then empty.
    const ending = stopReason === "length" ? ", which ended at its maximum of tokens" : "";
    const empty = summary === "" ? `the model gave an empty answer${ending}` : null;
    const failure = stopReason === "refusal" ? "the model refused to summarize them" : empty;
    return { text: summary, usage, failure, isCut: stopReason === "length" };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { text: "", failure: error.message, usage: noUsage, isCut: false };
  }
}

/** Maximum number of replaced texts in a request, and maximum code points that are shown of each text. */
const maxReplaced = 10;
const maxReplacedLength = 100;

/** Returns a note with the replaced texts. Each text is JSON on one line, so that it cannot pose as a line of the request. */
function replacedNote(replaced: readonly ReplacedText[]): string {
  if (replaced.length === 0) return "";
  const quoted = (text: string): string => JSON.stringify(takeCodePoints(text, maxReplacedLength));
  const edits = replaced.slice(-maxReplaced).map(({ before, after }) => `${quoted(before)} by ${quoted(after)}`);
  return `Replaced in core memory, where only the new text holds: ${edits.join("; ")}\n\n`;
}

/** Returns a note with the identifiers of the earlier summary, because summarizing again easily loses these. */
function keptNote(previous: string, replaced: readonly ReplacedText[]): string {
  const outdated = outdatedIdentifiers(replaced);
  const found = identifiersIn(previous).filter((identifier) => !outdated.has(identifier));
  return found.length === 0
    ? ""
    : `In the earlier summary, and to be kept unless out of date or to be forgotten: ${found.join(", ")}\n\n`;
}

/** Tokens per word, for the maximum of words in the prompt. Most words have fewer, so a summary of that length is not cut. */
const tokensPerWord = 3;

function instructions({ focus, memory, maxTokens }: SummaryRequest): string {
  const words = Math.max(1, Math.floor(maxTokens / tokensPerWord));
  return [
    loadPrompt("summarize").replace("{WORDS}", String(words)),
    ...(focus === null ? [] : [loadPrompt("summarize-focus").replace("{FOCUS}", () => focus)]),
    ...(memory === "" ? [] : [loadPrompt("summarize-memory")]),
  ].join("\n\n");
}

interface ReplacedText {
  readonly before: string;
  readonly after: string;
}

/** The tools that replace a text of core memory, with the names of the arguments for the old and the new text. */
const fields: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ["core_memory_replace", ["old_content", "new_content"]],
  ["memory_replace", ["old_string", "new_string"]],
]);

/** Returns the texts that successful edits in these messages replaced, each with its new text, oldest first. */
export function replacedTexts(
  messages: readonly { readonly content: readonly ContentPart[] }[],
): readonly ReplacedText[] {
  const calls = new Map<string, ToolCallPart>();
  const replaced: ReplacedText[] = [];
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === "tool-call") calls.set(part.callId, part);
    const call = part.type === "tool-result" && part.status === "ok" ? calls.get(part.callId) : undefined;
    const texts = call === undefined ? null : textsOf(call);
    if (texts !== null) replaced.push(texts);
  }
  return replaced;
}

function textsOf({ name, arguments: json }: ToolCallPart): ReplacedText | null {
  const names = fields.get(name);
  if (names === undefined) return null;
  // Imported messages are unchecked: their arguments may be any text.
  const given = parseObject(json);
  const [before, after] = names.map((field) => given?.[field]);
  return typeof before === "string" && typeof after === "string" && after.trim() !== "" ? { before, after } : null;
}

/** Returns the identifiers of replaced texts, except those that a later new text contains again. */
export function outdatedIdentifiers(replaced: readonly ReplacedText[]): ReadonlySet<string> {
  const outdated = new Set<string>();
  for (const { before, after } of replaced) {
    for (const found of identifiersIn(before)) outdated.add(found);
    for (const found of identifiersIn(after)) outdated.delete(found);
  }
  return outdated;
}

/** Maximum UTF-16 units of an identifier, and maximum number of identifiers. If there are more, the last ones are kept. */
const maxLength = 64;
const maxCount = 150;

const hasDigit = /\p{N}/u;
const joined = /[\p{L}\p{N}][.@_/][\p{L}\p{N}]/u;
const edges = /^[^\p{L}\p{N}+#@$€£]+|[^\p{L}\p{N}%]+$/gu;

/** Returns the identifiers (words with digits, paths and addresses) in a text, each once, in the order of the text. */
export function identifiersIn(text: string): readonly string[] {
  const words = text.split(/[\s"'`“”„«»()[\]{}<>|;]+/u).map((word) => word.replaceAll(edges, ""));
  const found = words.filter(
    (word) => word.length > 1 && word.length <= maxLength && (hasDigit.test(word) || joined.test(word)),
  );
  return [...new Set(found)].slice(-maxCount);
}
