// The contract of models, run for each adapter.
import { createAnthropicModel } from "../../src/model/llm/anthropic/anthropic-model.ts";
import { createOpenAIModel } from "../../src/model/llm/openai/openai-model.ts";
import { describeModelContract } from "./model.contract.ts";

const model = "test-model";
const contextWindow = 100_000;

describeModelContract("anthropic", {
  api: "anthropic",
  usage: { input_tokens: 31, output_tokens: 7 },
  overflow: { message: "prompt is too long: 201000 tokens > 200000 maximum", type: "invalid_request_error" },
  create: (options) => createAnthropicModel({ model, contextWindow, ...options }),
});

describeModelContract("openai, responses", {
  api: "responses",
  usage: { input_tokens: 31, output_tokens: 7 },
  overflow: { message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" },
  create: ({ baseUrl, ...options }) =>
    createOpenAIModel({ model, contextWindow, api: "responses", baseUrl: `${baseUrl}/v1`, ...options }),
});

describeModelContract("openai, chat", {
  api: "chat",
  usage: { prompt_tokens: 31, completion_tokens: 7 },
  overflow: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" },
  create: ({ baseUrl, ...options }) =>
    createOpenAIModel({ model, contextWindow, api: "chat", baseUrl: `${baseUrl}/v1`, ...options }),
});
