// Asks a model for operations that tidy memory.
// Invariant: one request, whatever its outcome; the answer is only JSON, which the caller reads and checks.
import { ModelError } from "../base/errors.ts";
import { type JsonObject, parseObject } from "../base/json-values.ts";
import { noUsage, type Usage } from "../base/message/message.ts";
import type { Model } from "../model/llm/model.ts";
import { loadPrompt } from "./prompts/load-prompt.ts";
import { outermostObject, readAnswer } from "./read-answer.ts";

/** Share of the model's window for the rows, and for the answer. */
const rowShare = 1 / 2;
const answerShare = 1 / 8;
/** Maximum tokens of rows in one request. */
const maxRowTokens = 12_000;

/** Returns the maximum counted tokens of rows in one request. `windowTokens`: counted tokens of the model's window. */
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
}

export type ConsolidationAnswer =
  | { readonly type: "made"; readonly json: JsonObject | undefined; readonly usage: Usage }
  | { readonly type: "failed"; readonly reason: string; readonly usage: Usage };

/** Returns the answer, or why there is none. Throws only errors that do not come from the model. */
export async function askForOperations(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
  const { model, head, lines, schema, maxOutputTokens, signal } = request;
  const question = `${head}\nRows:\n${lines.join("\n")}`;
  try {
    const { text, usage } = await readAnswer(
      model,
      {
        system: { instructions: loadPrompt("consolidate"), memory: "" },
        messages: [{ role: "user", content: [{ type: "text", text: question }] }],
        tools: [],
        output: { name: "operations", schema },
        maxOutputTokens: Math.min(maxOutputTokens, Math.floor(model.contextWindow * answerShare)),
      },
      signal,
    );
    return { type: "made", json: parseObject(outermostObject(text)), usage };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { type: "failed", reason: error.message, usage: noUsage };
  }
}
