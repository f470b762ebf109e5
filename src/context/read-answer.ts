// Reads a model's complete answer to a request that the runtime itself makes, such as for a summary, a scratchpad or facts.
// Invariant: text that was emitted before a retry is discarded.
import type { Model, ModelRequest, ModelStopReason } from "../model/llm/model.ts";
import { noUsage, type Usage } from "../base/message/message.ts";

export interface ModelAnswer {
  /** The text of the answer. If the request forces a tool call, the arguments of the last call. */
  readonly text: string;
  /** `refusal`: the text is the model's refusal, or the text before it. */
  readonly stopReason: ModelStopReason;
  readonly usage: Usage;
}

/** Returns the model's complete answer. Throws ModelError, and the signal's reason. */
export async function readAnswer(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer> {
  let text = "";
  let usage = noUsage;
  let stopReason: ModelStopReason = "end";
  for await (const event of model.stream(request, signal === undefined ? {} : { signal })) {
    if (event.type === "retry") text = "";
    if (event.type === "text-delta") text += event.text;
    if (event.type === "tool-call" && request.toolChoice === "required") text = event.arguments;
    if (event.type === "end") ({ usage, stopReason } = event);
  }
  // A model of the program may end without an error when the signal aborts: its answer is then incomplete.
  signal?.throwIfAborted();
  return { text, stopReason, usage };
}

/** Returns the text between the outermost braces of an answer, or the whole text if it has none. */
export function outermostObject(text: string): string {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  return from === -1 || to < from ? text : text.slice(from, to + 1);
}
