// Which counter fits which model: OpenAI's own models have a public tokenizer, all others are estimated.
import { createEncodingCounter, type EncodingName } from "./encoding-counter.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { TokenCounter } from "./token-counter.ts";

// OpenAI's names; `openai/llama3`, a compatible server's model behind the same adapter, has another tokenizer.
const openaiModel = /^openai\/(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d)/;
// Of those, what came before gpt-4o.
const olderModel = /^openai\/(?:ft:)?gpt-(?:3\.5|4(?![\w.]))/;

const estimate: TokenCounter = { count: estimateTokens, exact: false };

/** The counter for a model named as in the configuration; nothing is loaded before the first count. */
export function createTokenCounter(modelName: string): TokenCounter {
  const encoding = encodingOf(modelName);
  return encoding === undefined ? estimate : createEncodingCounter(encoding);
}

function encodingOf(modelName: string): EncodingName | undefined {
  if (!openaiModel.test(modelName)) return undefined;
  return olderModel.test(modelName) ? "cl100k_base" : "o200k_base";
}
