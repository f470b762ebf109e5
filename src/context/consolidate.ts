// Asks a model for operations that tidy memory.
// Invariant: one request, whatever its outcome; the answer is only JSON, which the caller reads and checks.
import { ModelError } from "../base/errors.ts";
import { type JsonObject, parseObject } from "../base/json-values.ts";
import { type Message, noUsage, type Usage } from "../base/message/message.ts";
import type { Model } from "../model/llm/model.ts";
import { loadPrompt } from "./prompts/load-prompt.ts";
import { outermostObject, readAnswer } from "./read-answer.ts";

/** Maximum share of the model's window for the rows of memory, and the share for the answer. */
const rowShare = 1 / 2;
const answerShare = 1 / 8;
/** Maximum tokens of memory rows in one request. */
const maxRowTokens = 12_000;

/** Returns the maximum counted tokens of memory rows in one request. `windowTokens`: size of the window in counted tokens. */
export function roomForRows(windowTokens: number): number {
  return Math.min(maxRowTokens, Math.floor(windowTokens * rowShare));
}

export interface ConsolidationRequest {
  readonly model: Model;
  /** The text before the rows. */
  readonly head: string;
  /** The rows, one on a line. */
  readonly lines: readonly string[];
  readonly schema: JsonObject;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal | undefined;
  /** An earlier answer of the model to this request, and the operations in it that were dropped, one on a line. */
  readonly correction?: { readonly answer: string; readonly dropped: readonly string[] };
}

export type ConsolidationAnswer =
  | { readonly type: "made"; readonly text: string; readonly json: JsonObject | undefined; readonly usage: Usage }
  | { readonly type: "failed"; readonly reason: string; readonly usage: Usage };

/** Returns the model's answer, or why there is none. Throws only errors that do not come from the model. */
export async function askForOperations(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
  const { model, schema, maxOutputTokens, signal } = request;
  try {
    const { text, usage } = await readAnswer(
      model,
      {
        system: { instructions: loadPrompt("consolidate"), memory: "" },
        messages: messagesOf(request),
        tools: [],
        output: { name: "operations", schema },
        maxOutputTokens: Math.min(maxOutputTokens, Math.floor(model.contextWindow * answerShare)),
      },
      signal,
    );
    return { type: "made", text, json: parseObject(outermostObject(text)), usage };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { type: "failed", reason: error.message, usage: noUsage };
  }
}

function messagesOf({ head, lines, correction }: ConsolidationRequest): readonly Message[] {
  const question = messageOf("user", `${head}\nRows:\n${lines.join("\n")}`);
  if (correction === undefined) return [question];
  const remarks = `${loadPrompt("correct-operations")}\n${correction.dropped.join("\n")}`;
  return [question, messageOf("assistant", correction.answer), messageOf("user", remarks)];
}

function messageOf(role: "user" | "assistant", text: string): Message {
  return { role, content: [{ type: "text", text }] };
}
