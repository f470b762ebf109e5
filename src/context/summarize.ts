// Summarizes messages by a model: one running summary, into which each batch of messages is folded.
// Invariant: what is summarized includes tool calls and results, and what does not fit into one request is folded in batches.
import type { Model } from "../llm/model.ts";
import type { ContentPart } from "../message.ts";
import type { StoredMessage } from "../memory/records.ts";
import { loadPrompt } from "../prompts/load-prompt.ts";

export interface SummaryRequest {
  readonly model: Model;
  readonly messages: readonly StoredMessage[];
  readonly previous: string | null;
  readonly maxOutputTokens: number;
  /** Tokens that the messages of one request may have. */
  readonly batchTokens: number;
  readonly signal?: AbortSignal;
}

/** The summary. Throws ModelError when the model fails or answers with nothing. */
export async function summarize(request: SummaryRequest): Promise<string> {
  let summary = request.previous;
  for (const batch of batches(request.messages, request.batchTokens)) summary = await foldIn(request, summary, batch);
  return summary ?? "";
}

async function foldIn(
  request: SummaryRequest,
  previous: string | null,
  batch: readonly StoredMessage[],
): Promise<string> {
  const transcript = batch
    .map(transcriptLine)
    .filter((line) => line !== "")
    .join("\n");
  const text = previous === null ? transcript : `Earlier summary: ${previous}\n\n${transcript}`;
  const system = { instructions: loadPrompt("summarize"), memory: "" };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  const { model, maxOutputTokens, signal } = request;
  let summary = "";
  for await (const event of model.stream(
    { system, messages, tools: [], maxOutputTokens },
    signal === undefined ? {} : { signal },
  )) {
    if (event.type === "retry") summary = "";
    if (event.type === "text-delta") summary += event.text;
  }
  return summary.trim();
}

/** A message as a line of a transcript; blank when there is nothing to tell of it. */
export function transcriptLine(message: StoredMessage): string {
  const text = message.content
    .map(partText)
    .filter((part) => part !== "")
    .join(" ");
  return text === "" ? "" : `${message.role}: ${text}`;
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `[called ${part.name} ${part.arguments}]`;
    case "tool-result":
      return `[${part.name} returned: ${part.text}]`;
    case "thought":
      return "";
  }
}

function batches(messages: readonly StoredMessage[], batchTokens: number): readonly (readonly StoredMessage[])[] {
  const all: StoredMessage[][] = [];
  let current: StoredMessage[] = [];
  let tokens = 0;
  for (const message of messages) {
    if (current.length > 0 && tokens + message.tokens > batchTokens) {
      all.push(current);
      current = [];
      tokens = 0;
    }
    current.push(message);
    tokens += message.tokens;
  }
  return current.length === 0 ? all : [...all, current];
}
