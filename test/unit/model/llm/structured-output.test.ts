// The form of a reply on each wire: sent to the models that keep to it, in the words of the API, and to no other.
import { anthropicProvider } from "../../../../src/model/llm/anthropic/anthropic-provider.ts";
import { toAnthropicRequest } from "../../../../src/model/llm/anthropic/to-request.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { openaiProvider } from "../../../../src/model/llm/openai/openai-provider.ts";
import { openaiRules } from "../../../../src/model/llm/openai/openai-rules.ts";
import { toChatRequest } from "../../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../../src/model/llm/openai/to-responses-request.ts";
import { synopsisSchema } from "../../../../src/memory/synopsis/synopsis.ts";
import { requestOf } from "../../../support/model-events.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "array", items: { type: "string" }, maxItems: 5 } },
  required: ["city", "days"],
};
const request = requestOf(["hi"], { output: { name: "trip", schema } });

const claude = (model: string, asked: ModelRequest) =>
  toAnthropicRequest(asked, { model, origin: `anthropic/${model}` }).output_config;
const responses = (asked: ModelRequest, baseUrl?: string) =>
  toResponsesRequest(asked, { model: "gpt-4.1", origin: "openai/gpt-4.1", rules: openaiRules("gpt-4.1", baseUrl) });
const chat = (asked: ModelRequest, baseUrl?: string) =>
  toChatRequest(asked, {
    model: "gpt-4.1",
    rules: openaiRules("gpt-4.1", baseUrl),
    limitField: "max_tokens",
    stateChannel: "system",
  });

describe("anthropic", () => {
  // The API accepts no number of items; the SDK tells the model.
  const format = {
    type: "json_schema",
    schema: {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "array", items: { type: "string" }, description: "{maxItems: 5}" },
      },
      required: ["city", "days"],
      additionalProperties: false,
    },
  };

  it("has the form beside the effort", () => {
    expect(claude("claude-sonnet-4-5", request)).toEqual({ format });
    expect(claude("claude-opus-5-5", { ...request, effort: "low" })).toEqual({ effort: "low", format });
  });

  it("has none for a model without it, nor for a schema of any value", () => {
    expect(claude("claude-opus-4-1", request)).toBeUndefined();
    const any = { type: "object", properties: { value: {} }, required: ["value"] };
    expect(claude("claude-opus-5-5", { ...request, output: { name: "any", schema: any } })).toBeUndefined();
  });
});

describe("openai", () => {
  const strict = { name: "trip", schema: { ...schema, additionalProperties: false }, strict: true };

  it("has the strict form in both APIs, with the tools", () => {
    expect(responses(request)).toMatchObject({ text: { format: { type: "json_schema", ...strict } } });
    expect(responses(request).tools).toHaveLength(1);
    expect(chat(request).response_format).toEqual({ type: "json_schema", json_schema: strict });
  });

  it("has a form that only guides for a schema with optional properties", () => {
    const loose = { ...schema, required: ["city"] };
    const asked = requestOf(["hi"], { output: { name: "trip", schema: loose } });
    expect(responses(asked).text).toEqual({
      format: { type: "json_schema", name: "trip", schema: loose, strict: false },
    });
  });

  it("has none for other servers", () => {
    const elsewhere = "http://127.0.0.1:8000/v1";
    expect(responses(request, elsewhere)).not.toHaveProperty("text");
    expect(chat(request, elsewhere)).not.toHaveProperty("response_format");
  });
});

it.each([
  ["claude-opus-5-5", true],
  ["claude-haiku-4-5-20251001", true],
  ["claude-opus-4-1", false],
  ["claude-3-7-sonnet-20250219", false],
])("%s keeps to a form: %p", (model, keeps) => {
  expect(anthropicProvider.hasStructuredOutput(model, null)).toBe(keeps);
});

it.each([
  ["gpt-5.6-sol", null, true],
  ["gpt-4o", null, true],
  ["gpt-4.1-mini", "https://acme.openai.azure.com/openai/v1", true],
  ["o3-mini", null, true],
  ["gpt-4o", "http://localhost:11434/v1", false],
  ["gpt-4o-2024-05-13", null, false],
  ["gpt-4o-search-preview", null, false],
  ["gpt-4-turbo", null, false],
  ["gpt-3.5-turbo", null, false],
  ["o1-mini", null, false],
])("%s at %s keeps to a form: %p", (model, baseUrl, keeps) => {
  expect(openaiProvider.hasStructuredOutput(model, baseUrl)).toBe(keeps);
});

it("a synopsis has a strict form, made of its parts", () => {
  const list = { type: "array", items: { type: "string" } };
  expect(
    responses(requestOf(["hi"], { output: { name: "synopsis", schema: synopsisSchema(["identity"]) } })).text,
  ).toEqual({
    format: {
      type: "json_schema",
      name: "synopsis",
      strict: true,
      schema: {
        type: "object",
        properties: {
          identity: {
            type: "object",
            properties: { name: { type: ["string", "null"] }, preferences: list, traits: list },
            required: ["name", "preferences", "traits"],
            additionalProperties: false,
          },
        },
        required: ["identity"],
        additionalProperties: false,
      },
    },
  });
});
