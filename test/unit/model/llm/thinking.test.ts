// How much a model is asked to think, on each wire and by the rules of each model: what is sent for `effort`, and the limit of
// a reply that includes its thoughts.
import { toAnthropicRequest } from "../../../../src/model/llm/anthropic/to-request.ts";
import { type Effort, type ModelRequest, withRequestSettings } from "../../../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../../../src/model/llm/openai/openai-model.ts";
import { createScriptedModel } from "../../../../src/model/llm/scripted/scripted-model.ts";
import type { Message } from "../../../../src/base/message/message.ts";
import { assistantCalls, drain, requestOf, toolReturns } from "../../../support/model-events.ts";

type Asked = Effort | "unset";

const asked = (effort: Asked, changes: Partial<ModelRequest> = {}, messages: readonly (Message | string)[] = ["hi"]) =>
  requestOf(messages, { maxOutputTokens: 4096, ...(effort === "unset" ? {} : { effort }), ...changes });

describe("anthropic", () => {
  const sent = (model: string, request: ModelRequest): Readonly<Record<string, unknown>> => {
    const body = toAnthropicRequest(request, { model, origin: `anthropic/${model}` });
    const { max_tokens, thinking, output_config, tool_choice } = body;
    return { max_tokens, thinking, output_config, tool_choice };
  };
  const adaptive = { type: "adaptive", display: "summarized" };

  it.each<readonly [string, Asked, object]>([
    // Thinking cannot be turned off.
    ["claude-opus-5-5", "unset", { max_tokens: 28_672, thinking: adaptive }],
    ["claude-opus-5-5", "off", { max_tokens: 12_288, thinking: adaptive, output_config: { effort: "low" } }],
    ["claude-opus-5-5", "low", { max_tokens: 12_288, thinking: adaptive, output_config: { effort: "low" } }],
    ["claude-opus-5-5", "medium", { max_tokens: 20_480, thinking: adaptive, output_config: { effort: "medium" } }],
    ["claude-opus-5-5", "high", { max_tokens: 28_672, thinking: adaptive, output_config: { effort: "high" } }],
    ["claude-fable-5-2", "off", { max_tokens: 12_288, thinking: adaptive, output_config: { effort: "low" } }],
    ["claude-fable-5", "off", { max_tokens: 12_288, thinking: adaptive, output_config: { effort: "low" } }],
    ["claude-mythos-6", "unset", { max_tokens: 28_672, thinking: adaptive }],
    // It can, each in its way.
    ["claude-sonnet-5-5-20260928", "off", { max_tokens: 4096, thinking: { type: "between_tools" } }],
    ["claude-haiku-5-5", "off", { max_tokens: 4096, thinking: { type: "disabled" } }],
    ["claude-opus-5", "off", { max_tokens: 4096, thinking: { type: "disabled" } }],
    ["claude-opus-5", "unset", { max_tokens: 28_672, thinking: adaptive }],
    // It does not think unless it is asked to.
    ["claude-opus-4-8", "unset", { max_tokens: 4096 }],
    ["claude-opus-4-8", "high", { max_tokens: 28_672, thinking: adaptive, output_config: { effort: "high" } }],
    ["claude-sonnet-4-6", "medium", { max_tokens: 20_480, thinking: adaptive, output_config: { effort: "medium" } }],
    // It gets a number of tokens.
    ["claude-sonnet-4-5-20250929", "unset", { max_tokens: 4096 }],
    ["claude-sonnet-4-5-20250929", "off", { max_tokens: 4096 }],
    ["claude-haiku-4-5", "low", { max_tokens: 12_288, thinking: { type: "enabled", budget_tokens: 8192 } }],
    ["claude-opus-4-20250514", "high", { max_tokens: 28_672, thinking: { type: "enabled", budget_tokens: 24_576 } }],
    ["claude-3-7-sonnet-20250219", "low", { max_tokens: 12_288, thinking: { type: "enabled", budget_tokens: 8192 } }],
    // It does not think, or is not known.
    ["claude-3-5-haiku-20241022", "high", { max_tokens: 4096 }],
    ["other", "high", { max_tokens: 4096 }],
  ])("%s with effort %s", (model, effort, body) => {
    const { tool_choice, ...rest } = sent(model, asked(effort));
    expect(tool_choice).toBeUndefined();
    expect(JSON.parse(JSON.stringify(rest))).toEqual(body);
  });

  it.each([
    ["claude-opus-5-5", undefined, adaptive],
    ["claude-sonnet-5-5", undefined, adaptive],
    ["claude-fable-5", undefined, adaptive],
    ["claude-opus-5", { type: "any" }, { type: "disabled" }],
    ["claude-opus-4-5", { type: "any" }, undefined],
    ["other", { type: "any" }, undefined],
  ])("%s does not think while a call is forced, or is not forced", (model, choice, thinking) => {
    expect(sent(model, asked("high", { toolChoice: "required" }))).toMatchObject({ tool_choice: choice, thinking });
  });

  it("does not begin to think in the middle of a chain of calls, if it needs a number of tokens", () => {
    const chain = ["hi", assistantCalls(["1", "{}"]), toolReturns("1", "x")];
    expect(sent("claude-opus-4-5", asked("high", {}, chain))).toMatchObject({ max_tokens: 4096, thinking: undefined });
    expect(sent("claude-opus-4-6", asked("high", {}, chain))).toMatchObject({ thinking: adaptive });
  });

  it.each([
    [1000, 25_576],
    [10_000, 32_000],
    [50_000, 50_000],
  ])("limits an answer of %d tokens and its thoughts to %d", (maxOutputTokens, limit) => {
    expect(sent("claude-opus-4-1", asked("high", { maxOutputTokens }))).toMatchObject({
      max_tokens: limit,
      thinking: { budget_tokens: 24_576 },
    });
  });
});

describe("openai", () => {
  async function sent(
    api: "responses" | "chat",
    model: string,
    asking: Partial<Parameters<typeof createOpenAIModel>[0]>,
    request: ModelRequest,
  ) {
    let body: Record<string, unknown> = {};
    const record: typeof fetch = async (_address, init = {}) => {
      body = JSON.parse(init.body as string) as typeof body;
      return new Response('{"error":{"message":"no"}}', {
        status: 400,
        headers: { "content-type": "application/json" },
      });
    };
    const openai = createOpenAIModel({ model, api, apiKey: "k", contextWindow: 1000, fetch: record, ...asking });
    await expect(drain(openai, request)).rejects.toMatchObject({ code: "model_request" });
    const { max_output_tokens, max_completion_tokens, max_tokens, reasoning, reasoning_effort } = body;
    return JSON.parse(
      JSON.stringify({ max_output_tokens, max_completion_tokens, max_tokens, reasoning, reasoning_effort }),
    ) as object;
  }

  it.each<readonly [string, Asked, object]>([
    ["gpt-5.6-sol", "unset", { max_output_tokens: 28_672 }],
    ["gpt-5.6-sol", "off", { max_output_tokens: 4096, reasoning: { effort: "none" } }],
    ["gpt-5.1", "high", { max_output_tokens: 28_672, reasoning: { effort: "high" } }],
    ["gpt-5-mini", "off", { max_output_tokens: 12_288, reasoning: { effort: "minimal" } }],
    ["ft:gpt-5-nano:acme", "medium", { max_output_tokens: 20_480, reasoning: { effort: "medium" } }],
    ["gpt-5.1-codex", "off", { max_output_tokens: 12_288, reasoning: { effort: "low" } }],
    ["o4-mini", "off", { max_output_tokens: 12_288, reasoning: { effort: "low" } }],
    ["o1-mini", "low", { max_output_tokens: 28_672 }],
    ["gpt-5.2-pro", "low", { max_output_tokens: 28_672 }],
    ["gpt-5-chat-latest", "low", { max_output_tokens: 4096 }],
    ["gpt-4.1", "high", { max_output_tokens: 4096 }],
  ])("%s with effort %s", async (model, effort, body) => {
    expect(await sent("responses", model, {}, asked(effort))).toEqual(body);
  });

  it.each<readonly [string, Asked, Partial<ModelRequest>, object]>([
    ["o3", "high", {}, { max_completion_tokens: 28_672, reasoning_effort: "high" }],
    ["gpt-5", "low", {}, { max_completion_tokens: 12_288, reasoning_effort: "low" }],
    ["gpt-5.6-sol", "high", {}, { max_completion_tokens: 4096, reasoning_effort: "none" }],
    ["gpt-5.6-sol", "high", { tools: [] }, { max_completion_tokens: 28_672, reasoning_effort: "high" }],
    ["gpt-4o", "high", {}, { max_completion_tokens: 4096 }],
  ])("Chat Completions: %s with effort %s and %j", async (model, effort, changes, body) => {
    expect(await sent("chat", model, {}, asked(effort, changes))).toEqual(body);
  });

  it("sends other servers nothing, whatever they call their models", async () => {
    const elsewhere = { baseUrl: "http://127.0.0.1:9/v1" };
    expect(await sent("chat", "gpt-5", elsewhere, asked("high"))).toEqual({ max_tokens: 4096 });
    expect(await sent("responses", "gpt-5", elsewhere, asked("high"))).toEqual({ max_output_tokens: 4096 });
  });
});

it("adds an agent's effort to each request that has none", async () => {
  const model = createScriptedModel({ replies: () => ({ text: "Hello." }) });
  await drain(withRequestSettings(model, { effort: "low", temperature: null }), requestOf(["hi"]));
  await drain(withRequestSettings(model, { effort: null, temperature: null }), requestOf(["hi"]));
  await drain(withRequestSettings(model, { effort: "low", temperature: null }), requestOf(["hi"], { effort: "off" }));
  expect(model.requests.map(({ effort }) => effort)).toEqual(["low", undefined, "off"]);
  expect("effort" in model.requests[1]!).toBe(false);
});
