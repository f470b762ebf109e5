// Summarizes messages by a model: one running summary, into which each batch of messages is folded.
// Invariant: a summary is of all the messages or there is none: a batch that fails or is answered with nothing fails the whole.
import { ModelError } from "../../errors.ts";
import type { Model } from "../../llm/model.ts";
import { addUsage, noUsage, type Usage } from "../../message/message.ts";
import { loadPrompt } from "../../prompts/load-prompt.ts";
import type { TokenScale } from "../../tokens/token-scale.ts";
import { takeTokens } from "../cut-text.ts";
import { type ModelAnswer, readAnswer } from "../read-answer.ts";
import { type TranscriptMessage, transcriptBatches } from "./transcript.ts";

export interface SummaryRequest {
  readonly model: Model;
  readonly messages: readonly TranscriptMessage[];
  /** A summary of what came before, which is carried over; null when there is none. */
  readonly previous: string | null;
  /** What is to be kept above all, in the user's words. */
  readonly focus: string | null;
  /** Counted tokens that the summary may have. */
  readonly maxTokens: number;
  /** Of the model: its limit of output is in the tokens that its provider reports. */
  readonly scale: TokenScale;
  /** Counted tokens that the messages of one request may have. */
  readonly batchTokens: number;
  readonly count: (text: string) => number;
  readonly signal?: AbortSignal;
}

export interface SummaryOutcome {
  /** Null when there is none. */
  readonly text: string | null;
  /** Why there is none. */
  readonly failure: string | null;
  /** Tokens by which the model's summary was over what it may have, and that were cut off its end. */
  readonly clippedTokens: number;
  /** Of all calls, as the model reports it. */
  readonly usage: Usage;
}

/** Throws what is no error of the model's, such as the signal's reason. */
export async function summarize(request: SummaryRequest): Promise<SummaryOutcome> {
  const { maxTokens, count } = request;
  let usage = noUsage;
  let summary = request.previous;
  let clippedTokens = 0;
  const transcripts = transcriptBatches(request.messages, request.batchTokens, count);
  if (transcripts.length === 0) summary = takeTokens(summary ?? "", maxTokens, count);
  for (const transcript of transcripts) {
    const folded = await foldIn(request, summary, transcript);
    usage = addUsage(usage, folded.usage);
    if (folded.failure !== null) return { text: null, failure: folded.failure, clippedTokens: 0, usage };
    const within = takeTokens(folded.text, maxTokens, count);
    if (within.length < folded.text.length) clippedTokens += count(folded.text) - maxTokens;
    summary = within;
  }
  return { text: summary ?? "", failure: null, clippedTokens, usage };
}

interface Folded extends ModelAnswer {
  readonly failure: string | null;
}

async function foldIn(request: SummaryRequest, previous: string | null, transcript: string): Promise<Folded> {
  const text = previous === null ? transcript : `Earlier summary: ${previous}\n\n${transcript}`;
  const system = { instructions: instructions(request.focus), memory: "" };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  const { model, maxTokens, scale, signal } = request;
  const maxOutputTokens = Math.max(1, scale.reportedLimit(maxTokens));
  try {
    const answer = await readAnswer(model, { system, messages, tools: [], maxOutputTokens }, signal);
    const summary = answer.text.trim();
    return { ...answer, text: summary, failure: summary === "" ? "the model answered with nothing" : null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { text: "", failure: error.message, usage: noUsage };
  }
}

function instructions(focus: string | null): string {
  const prompt = loadPrompt("summarize");
  return focus === null ? prompt : `${prompt}\n\n${loadPrompt("summarize-focus").replace("{FOCUS}", () => focus)}`;
}
