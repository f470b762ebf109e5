// Chooses the token counter of a model: OpenAI's own models have a public tokenizer, all others are estimated.
import type { ModelInput } from "../../base/message/file-part.ts";
import { createFileCounter } from "./count-file.ts";
import { createEncodingCounter, type EncodingName } from "./encoding-counter.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { TokenCounter } from "./count-message.ts";

// OpenAI's names; `openai/llama3`, a model of a compatible server with the same adapter, has another tokenizer.
const openaiModel = /^openai\/(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d)/;
// OpenAI's models before gpt-4o.
const olderModel = /^openai\/(?:ft:)?gpt-(?:3\.5|4(?![\w.]))/;

/**
 * Returns the counter of a model, by its configured name and its inputs besides text; nothing is loaded before the
 * first count.
 */
export function createTokenCounter(modelName: string, inputs: readonly ModelInput[] = []): TokenCounter {
  const encoding = encodingOf(modelName);
  const texts = encoding === undefined ? estimating : createEncodingCounter(encoding);
  return { ...texts, countFile: createFileCounter(modelName, inputs, texts.count) };
}

const estimating = { count: estimateTokens, exact: false, prepare: () => undefined };

function encodingOf(modelName: string): EncodingName | undefined {
  if (!openaiModel.test(modelName)) return undefined;
  return olderModel.test(modelName) ? "cl100k_base" : "o200k_base";
}
