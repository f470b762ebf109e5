// From failures on the wire to typed errors: the class, whether it is tried again, and what the message says and hides.
import type { ModelError } from "../../../../src/base/errors.ts";
import {
  type ProviderFailure,
  readRetryAfterMs,
  toModelError,
  describeProvider,
  quoteProvider,
} from "../../../../src/model/llm/failure/model-errors.ts";

const now = new Date("2026-11-21T10:00:00Z");
const apiKey = "sk-ant-secret-0123456789";
const provider = describeProvider({
  id: "anthropic",
  brand: "Anthropic",
  model: "claude-x",
  keyOption: "anthropicApiKey",
  apiKey,
});

const errorOf = (failure: Partial<ProviderFailure>): ModelError =>
  toModelError({ kind: "answer", codes: [], text: "", ...failure }, provider, now);

it.each<readonly [number, readonly string[], string, boolean]>([
  [400, [], "model_request", false],
  [401, [], "model_auth", false],
  [403, [], "model_auth", false],
  [404, [], "model_request", false],
  [408, [], "model_timeout", true],
  [409, [], "model_unavailable", true],
  [413, [], "context_overflow", false],
  [422, [], "model_request", false],
  [429, [], "model_rate_limit", true],
  [429, ["insufficient_quota"], "model_request", false],
  [500, [], "model_unavailable", true],
  [502, [], "model_unavailable", true],
  [529, ["overloaded_error"], "model_unavailable", true],
])("converts %i %j to a %s error, retryable: %s", (status, codes, code, retryable) => {
  expect(errorOf({ status, codes })).toMatchObject({ code, retryable, status, provider: "anthropic" });
});

it.each<readonly [ProviderFailure["kind"], string, boolean]>([
  ["connection", "model_unavailable", true],
  ["timeout", "model_timeout", true],
  ["stream", "model_protocol", true],
  ["request", "model_request", false],
])("converts a failure of kind %s to a %s error", (kind, code, retryable) => {
  expect(errorOf({ kind, text: "why" })).toMatchObject({ code, retryable, status: undefined });
});

it.each([
  "prompt is too long: 215000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000",
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
  "the request exceeds the available context size. try increasing the context size or enable context shift",
  "prompt too long; exceeded max context length by 300 tokens",
  "the input length exceeds the context length",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "However, the model is loaded with context length of only 4096 tokens, which is not enough.",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "Input is too long for requested model.",
  "Please reduce the length of the messages or completion.",
  "prompt token count of 70000 exceeds the limit of 64000",
])("recognizes an overflow by its text: %s", (text) => {
  expect(errorOf({ status: 400, text })).toMatchObject({ code: "context_overflow", retryable: false });
});

it.each<readonly [string, number | null]>([
  ["prompt is too long: 215000 tokens > 200000 maximum", 200_000],
  ["input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000, decrease", 200_000],
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192],
  ["Prompt contains 40000 tokens, too large for model with 32,768 maximum context length", 32_768],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ["The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096],
  ["request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096],
  ["However, the model is loaded with context length of only 4096 tokens, which is not enough.", 4096],
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
  ["prompt token count of 70000 exceeds the limit of 64000", 64_000],
  ["prompt too long; exceeded max context length by 300 tokens", null],
  ["Please reduce the length of the messages or completion.", null],
])("reads the window that an overflow names: %s", (text, window) => {
  expect(errorOf({ status: 413, text })).toMatchObject({ code: "context_overflow", window });
});

it("reads no window from the allowance of a minute", () => {
  const text = "Request too large for gpt-x on tokens per min (TPM): Limit 30000. It must be reduced.";
  expect(errorOf({ status: 429, text })).toMatchObject({ code: "context_overflow", window: null });
});

it.each(["context_length_exceeded", "exceed_context_size_error"])("recognizes an overflow by its code: %s", (code) => {
  expect(errorOf({ status: 400, codes: [code] }).code).toBe("context_overflow");
});

it("treats a request larger than a minute's allowance as an overflow, since waiting does not help", () => {
  const text =
    "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.";
  expect(errorOf({ status: 429, text }).code).toBe("context_overflow");
});

it("does not treat other refusals that mention tokens as an overflow", () => {
  expect(errorOf({ status: 400, text: "max_tokens: 999999 > 64000, which is the maximum allowed" }).code).toBe(
    "model_request",
  );
});

it.each<readonly [Partial<ProviderFailure>, string]>([
  [{ status: 401 }, 'Anthropic refused the key (401). Set `anthropicApiKey` to a valid key that may use "claude-x".'],
  [{ status: 404 }, 'Anthropic has no model named "claude-x" (404). Check the model\'s name and the base URL.'],
  [{ status: 400, text: "tools.0: bad\n  field" }, "Anthropic refused the request (400). It said: tools.0: bad field"],
  [
    { kind: "connection", text: "connect ECONNREFUSED" },
    "Anthropic cannot be reached. Check the network and the base URL, or try again later. The reason: connect ECONNREFUSED",
  ],
])("says what to do: %j", (failure, message) => {
  expect(errorOf(failure).message).toBe(message);
});

it("never shows a key that a provider repeats", () => {
  const text = `Incorrect API key provided: ${apiKey}; also sk-proj-abc123*****xyz and Bearer abcdef123456`;
  const { message } = errorOf({ status: 401, text });
  expect(message).not.toMatch(/secret|proj|abcdef123456/);
  expect(message).toContain("Incorrect API key provided: [key]; also [key] and [key]");
});

it("keeps the cause, unless it contains a key", () => {
  const plain = new Error("socket hang up");
  const leaking = new Error("refused", { cause: new Error(`x-api-key: ${apiKey}`) });
  expect(errorOf({ cause: plain }).cause).toBe(plain);
  expect(errorOf({ cause: leaking }).cause).toBeUndefined();
});

it("cuts a provider's text at 300 characters, and leaves out web pages", () => {
  expect(quoteProvider("é".repeat(400), [])).toBe(`${"é".repeat(300)}…`);
  expect(quoteProvider(" <!doctype html><p>hi", [])).toBe("");
});

it("names a server by its address, without the credentials in it", () => {
  const facts = { id: "openai", brand: "OpenAI", model: "m", keyOption: "openaiApiKey", apiKey: "" };
  expect(describeProvider({ ...facts, baseUrl: "http://me:pass@localhost:11434/v1" }).title).toBe(
    "The server at localhost:11434",
  );
  expect(describeProvider({ ...facts, baseUrl: "nonsense" }).title).toBe("The server at the configured base URL");
});

it.each<readonly [Record<string, string>, number | undefined]>([
  [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.25" }, 250],
  [{ "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT" }, 30_000],
  [{ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("reads the delay from %j", (headers, expected) => {
  expect(readRetryAfterMs(new Headers(headers), now)).toBe(expected);
});

it("passes the delay on with a rate limit and with an overload", () => {
  const headers = new Headers({ "retry-after": "5" });
  expect(errorOf({ status: 429, headers }).retryAfterMs).toBe(5000);
  expect(errorOf({ status: 529, headers }).retryAfterMs).toBe(5000);
});
