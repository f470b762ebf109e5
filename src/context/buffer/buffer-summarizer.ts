// Uses a model to summarize the messages that leave a message buffer, as a compaction summarizes an agent's messages.
// Invariant: a summary covers all the messages, or there is an error; no message is left out because of its length.
import { RequestError } from "../../base/errors.ts";
import type { Model } from "../../model/llm/model.ts";
import { unscaled } from "../../model/tokens/token-scale.ts";
import type { BufferSummarizer } from "./summarize-overflow.ts";
import { summarize } from "../compaction/summarize.ts";

export interface BufferSummarizerDeps {
  /** Called for each summary. May throw ConfigError if the API key for the model is missing. */
  readonly model: () => Model;
  readonly countFor: (model: string) => (text: string) => number;
}

/** Maximum tokens of a summary, as for an entry of an agent's ring. */
const maxTokens = 500;

/** Returns a summarizer. It throws RequestError `summary_failed` with the reason if the model gives no summary. */
export function createBufferSummarizer({ model: resolve, countFor }: BufferSummarizerDeps): BufferSummarizer {
  return async (messages) => {
    const model = resolve();
    const count = countFor(model.name);
    const transcript = messages.map(({ role, text }) => ({
      role,
      content: [{ type: "text" as const, text }],
      tokens: count(text),
    }));
    const { text, failure } = await summarize({
      model,
      messages: transcript,
      previous: null,
      memory: "",
      focus: null,
      maxTokens: Math.max(1, Math.min(maxTokens, Math.floor(model.contextWindow / 8))),
      scale: unscaled,
      batchTokens: Math.floor(model.contextWindow / 2),
      count,
    });
    if (text !== null) return text;
    throw new RequestError("summary_failed", `${model.name} gave no summary: ${failure ?? "it did not say why"}.`);
  };
}
