// A model whose provider reports more tokens than are counted: limits and sizes are compared in the same tokens.
import type { Agent } from "../../src/agent/agent.ts";
import { ContextOverflowError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { estimateTokens } from "../../src/model/tokens/token-counter.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

/** Reports so many times the tokens that an estimate gives. */
function reporting(times: number) {
  const tokensOf = ({ system, messages, tools }: ModelRequest): number =>
    estimateTokens([system.instructions, system.memory, JSON.stringify(tools), JSON.stringify(messages)].join("\n"));
  return createScriptedModel({
    name: `times-${times}`,
    replies: (request) => ({
      // The summarizer is asked without tools, and its summary is as long as it may be.
      text: request.tools.length > 0 ? "ok" : "a summary of it all ".repeat(500),
      usage: { inputTokens: Math.round(times * tokensOf(request)), outputTokens: 1, cachedInputTokens: 0 },
    }),
  });
}

const at = new Date("2026-01-01T00:00:00Z");
const imported = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `Message number ${index + 1} of many.`,
    at,
  }));

test.each([1, 2.5])(
  "an import longer than the window fills it when the provider reports %p times the count",
  async (times) => {
    const model = reporting(times);
    const runtime = await runtimes.open({
      model: model.name,
      models: [model],
      contextWindow: 12_288,
      maxOutputTokens: 500,
    });
    const name = `imported-${times}`;
    const first = await runtime.agents.open(name, { create: {} });
    for (let turn = 1; turn <= 4; turn += 1) await drain(first.send(`Calibrate ${turn}.`));
    const { id } = await runtime.conversations.import(name, { messages: imported(3000) });
    const agent = await runtime.agents.open(name, { conversation: { id } });
    const events = await drain(agent.send("And now?"));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
    const { report } = agent.context();
    expect(report.factor).toBeGreaterThan(0.6 * times);
    expect(events.filter(({ type }) => type === "compaction")).toHaveLength(1);
    expect(report.total).toBeGreaterThan(0.6 * report.window);
    expect(agent.messages.length).toBeGreaterThan(30);
    expect(report.total).toBeLessThanOrEqual(report.window - report.reserve);
    expect(await lastOf(agent.send("Once more."))).toMatchObject({ stopReason: "end-turn" });
  },
);

test("a server that refuses tokens and limit above the window gets no such request, although real counts vary", async () => {
  const contextWindow = 16_384;
  const model = createScriptedModel({
    name: "strict",
    replies: ({ maxOutputTokens }, index) => {
      const inputTokens = Math.round(agent.context().report.total * (index % 2 === 0 ? 0.97 : 1.03));
      const error = new ContextOverflowError("Too long.", { provider: "strict" });
      if (inputTokens + maxOutputTokens > contextWindow) return { error };
      return { text: "ok", usage: { inputTokens, outputTokens: 1, cachedInputTokens: 0 } };
    },
  });
  const runtime = await runtimes.open({ model: model.name, models: [model], contextWindow, maxOutputTokens: 16_000 });
  const agent: Agent = await runtime.agents.open("strict", { create: {} });
  for (let turn = 1; turn <= 6; turn += 1) {
    const events = await drain(agent.send(`Message ${turn}. ${"The weather was fine. ".repeat(100)}`));
    expect(events.filter(({ type }) => type === "compaction")).toEqual([]);
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn" });
  }
});
