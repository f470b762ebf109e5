// Which models are small, by their names.
import { isSmallModel } from "../../../../src/runtime/doctor/model-findings.ts";

test.each([
  "gguf//home/ada/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
  "openai/llama3.2:3b",
  "openai/SmolLM2-135M",
  "openai/gemma-3-4b-it",
])("%s is small", (name) => {
  expect(isSmallModel(name)).toBe(true);
});

test.each([
  "demo",
  "openai/gpt-5",
  "openai/qwen2.5:7b",
  "openai/qwen2.5:32b",
  "anthropic/claude-opus-4-1",
  "openai/llama-3.1-70b",
  "gguf//data/4bit.gguf",
])("%s is not known to be small", (name) => {
  expect(isSmallModel(name)).toBe(false);
});
