// The temperature on each wire: sent to the models that accept it, left out elsewhere, and said once.
import { createAnthropicModel } from "../../../../src/model/llm/anthropic/anthropic-model.ts";
import type { Effort, Model } from "../../../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../../../src/model/llm/openai/openai-model.ts";
import { drain, requestOf } from "../../../support/model-events.ts";

type Api = "anthropic" | "responses" | "chat";

interface Sent {
  readonly temperatures: unknown[];
  readonly lines: string[];
  readonly model: Model;
}

function modelOf(api: Api, name: string, baseUrl?: string): Sent {
  const temperatures: unknown[] = [];
  const lines: string[] = [];
  const record: typeof fetch = async (_address, init = {}) => {
    temperatures.push((JSON.parse(init.body as string) as { readonly temperature?: number }).temperature);
    return new Response('{"error":{"message":"no"}}', { status: 400, headers: { "content-type": "application/json" } });
  };
  const log = (line: string): void => void lines.push(line);
  const options = { model: name, apiKey: "k", contextWindow: 1000, fetch: record, baseUrl, log };
  const model = api === "anthropic" ? createAnthropicModel(options) : createOpenAIModel({ ...options, api });
  return { temperatures, lines, model };
}

async function ask(model: Model, temperature: number, effort?: Effort): Promise<void> {
  const request = requestOf(["hi"], { temperature, ...(effort === undefined ? {} : { effort }) });
  await expect(drain(model, request)).rejects.toMatchObject({ code: "model_request" });
}

it.each<readonly [Api, string, Effort | undefined, number | undefined]>([
  ["anthropic", "claude-sonnet-4-5", undefined, 0.3],
  ["anthropic", "claude-sonnet-4-5", "low", undefined],
  ["anthropic", "claude-opus-4-6", "off", 0.3],
  ["anthropic", "claude-opus-4-6", "high", undefined],
  ["anthropic", "claude-opus-4-7", "off", undefined],
  ["anthropic", "claude-haiku-5-5", "off", undefined],
  ["anthropic", "other", undefined, 0.3],
  ["responses", "gpt-4.1", undefined, 0.3],
  ["responses", "gpt-5-chat-latest", undefined, 0.3],
  ["responses", "gpt-5.4", undefined, undefined],
  ["responses", "gpt-5.4", "off", 0.3],
  ["responses", "gpt-5-mini", "off", undefined],
  ["chat", "o3", "off", undefined],
  ["chat", "gpt-5.6-sol", "high", 0.3],
])("%s, %s with effort %s: %s", async (api, name, effort, sent) => {
  const { model, temperatures, lines } = modelOf(api, name);
  await ask(model, 0.3, effort);
  await ask(model, 0.3, effort);
  expect(temperatures).toEqual([sent, sent]);
  const told = `${model.name} accepts no temperature, at least with this effort, so the temperature 0.3 is not sent.`;
  expect(lines).toEqual(sent === undefined ? [told] : []);
});

it("is sent to other servers, whatever they call their models", async () => {
  const { model, temperatures } = modelOf("chat", "gpt-5", "http://127.0.0.1:9/v1");
  await ask(model, 1.5);
  expect(temperatures).toEqual([1.5]);
});

it("is at most 1 for Claude", async () => {
  const { model, temperatures } = modelOf("anthropic", "claude-haiku-4-5");
  await ask(model, 1.5);
  await ask(model, 0);
  expect(temperatures).toEqual([1, 0]);
});
