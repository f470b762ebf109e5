// Asks a model for a scratchpad that is up to date with the latest messages.
// Invariant: it only asks: the answer is text, and whether it fits the scratchpad's schema is for whoever holds that to say.
import { codePointLength, takeCodePoints } from "../base/code-points.ts";
import type { Model, ModelRequest } from "../llm/model.ts";
import type { StoredMessage } from "../memory/records.ts";
import { loadPrompt } from "../prompts/load-prompt.ts";
import { type ModelAnswer, outermostObject, readAnswer } from "./read-answer.ts";
import { transcriptLine } from "./compaction/transcript.ts";

/** Messages that the model is shown at least, if there are as many. */
const minMessages = 10;

export interface RecentRequest {
  /** From which message on all are shown; those before only make up the least number. */
  readonly fromId: string;
  /** Tokens that they may have together; the newest one stays in any case. */
  readonly tokens: number;
}

/** The newest messages of people, model and tools, in order. */
export function recentMessages(
  messages: readonly StoredMessage[],
  { fromId, tokens }: RecentRequest,
): readonly StoredMessage[] {
  const from = messages.findIndex(({ id }) => id === fromId);
  const min = Math.max(0, messages.length - minMessages);
  const recent = messages.slice(from === -1 ? min : Math.min(from, min)).filter(({ kind }) => kind === "message");
  let first = recent.length - 1;
  let sum = recent[first]?.tokens ?? 0;
  for (let next = first - 1; next >= 0; next -= 1) {
    sum += recent[next]?.tokens ?? 0;
    if (sum > tokens) break;
    first = next;
  }
  return recent.slice(first);
}

export interface ScratchpadDraft {
  /** As it stands. */
  readonly text: string;
  /** JSON schema, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Code points that it may have. */
  readonly limit: number;
  readonly messages: readonly StoredMessage[];
  /** Tokens that one of them may have; a longer one is cut to its beginning. */
  readonly tokens: number;
  readonly maxOutputTokens: number;
}

/** What the model is asked with. */
export function scratchpadRequest(draft: ScratchpadDraft): ModelRequest {
  const { text, fields, limit, messages, tokens, maxOutputTokens } = draft;
  const transcript = messages.map((message) => cutTo(tokens, message)).filter((line) => line !== "");
  const question = [
    `Fields, as JSON schema: ${JSON.stringify(fields)}`,
    `At most ${limit} characters.`,
    `Scratchpad:\n${text}`,
    `Latest messages:\n${transcript.join("\n")}`,
  ].join("\n\n");
  return {
    system: { instructions: loadPrompt("update-scratchpad"), memory: "" },
    messages: [{ role: "user", content: [{ type: "text", text: question }] }],
    tools: [],
    maxOutputTokens,
  };
}

function cutTo(tokens: number, message: StoredMessage): string {
  const line = transcriptLine(message);
  if (message.tokens <= tokens) return line;
  return `${takeCodePoints(line, Math.floor((codePointLength(line) * tokens) / message.tokens))} [cut]`;
}

/**
 * The model's answer: the text between the outermost braces, or the whole text when it has none. Throws ModelError, and what
 * the signal was aborted with.
 */
export async function askForScratchpad(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { text, usage } = await readAnswer(model, request, signal);
  return { text: outermostObject(text), usage };
}
