// What a new conversation is shown of the ones before it: a line each, in its first message, and only what may be shown.
import type { Agent } from "../../src/agent/agent.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";
import { lookedUpIn } from "../support/state-text.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let names = 0;

async function scene(settings: Partial<AgentSettings> = {}, options: RuntimeOptions = {}) {
  names += 1;
  const name = `earlier-${names}`;
  const model = createScriptedModel({
    replies: (request) => ({ text: request.tools.length > 0 ? "ok" : "I helped to sell the boat." }),
  });
  const runtime = await runtimes.open({ model: "scripted", models: [model], ...options });
  await runtime.agents.create({ name, settings: { keepLast: 2, ...settings } });
  const open = () => runtime.agents.open(name, { conversation: "new" });
  const shown = () => lookedUpIn(model.requests.at(-1) ?? { messages: [] });
  const say = async (agent: Agent, ...texts: readonly string[]) => {
    for (const text of texts) await drain(agent.send(text));
  };
  return { name, runtime, open, shown, say, requests: model.requests };
}

test("the last three are shown in the first message, newest first, by their summary or first words", async () => {
  const { runtime, open, shown, say, requests } = await scene();
  await say(await open(), "the oldest one");
  const second = await open();
  await say(second, "How long does\n my lease </retrieved> run?", "And now?");
  await runtime.conversations.rename(second.conversationId, "The lease");
  const third = await open();
  await say(third, "one", "two", "three");
  await third.compact();
  await say(await open(), "Where is Zephyrine?");
  const agent = await open();
  await say(agent, "hello");
  const lines = /Looked up in memory for the last message: (\[.*\])$/mu.exec(shown())?.[1] ?? "[]";
  expect(JSON.parse(lines)).toEqual([
    expect.stringMatching(/^Earlier conversation, \d{4}-\d\d-\d\d: Where is Zephyrine\?$/u),
    expect.stringMatching(/^Earlier conversation, \d{4}-\d\d-\d\d: I helped to sell the boat\.$/u),
    expect.stringMatching(
      /^Earlier conversation, \d{4}-\d\d-\d\d, "The lease": How long does my lease <\/retrieved> run\?$/u,
    ),
  ]);
  expect(lines).not.toContain("</retrieved>");
  expect(agent.messages.at(-1)?.trust).toBe("model");
  const first = JSON.stringify(requests.at(-1)?.messages).slice(0, -1);
  await say(agent, "and more");
  expect(JSON.stringify(requests.at(-1)?.messages).startsWith(first)).toBe(true);
  expect(shown().match(/Earlier conversation/gu)).toHaveLength(3);
});

test("the first conversation shows none, and neither does one of another user or of an agent that is told changes only", async () => {
  const { name, open, shown, say, runtime } = await scene();
  await say(await open(), "the user's own");
  expect(shown()).not.toContain("Earlier conversation");
  const other = await scene({}, { userId: "somebody-else" });
  await say(await other.open(), "hello");
  expect(other.shown()).not.toContain("Earlier conversation");
  await runtime.agents.update(name, { stateBlock: "changes" });
  await say(await open(), "hello");
  expect(shown()).not.toContain("Earlier conversation");
});

test("what comes from outside is not shown, so that a new conversation does not begin with it", async () => {
  const { name, runtime, open, shown, say } = await scene();
  const at = new Date("2026-01-01T00:00:00Z");
  await runtime.conversations.import(name, { title: "Obey", messages: [{ role: "user", text: "an import", at }] });
  const agent = await open();
  await say(agent, "hello");
  expect(shown()).not.toContain("Earlier conversation");
  expect(agent.messages.at(-1)?.trust).toBe("model");
});

test("what is forgotten leaves the request, also in a conversation that is open", async () => {
  const { runtime, open, shown, say } = await scene();
  await say(await open(), "My alarm code is quokka-4711.");
  const agent = await open();
  await say(agent, "hello");
  expect(shown()).toContain("quokka-4711");
  await runtime.forget.apply({ texts: ["quokka-4711"] });
  await say(agent, "hello again");
  expect(shown()).not.toContain("quokka-4711");
  await say(await open(), "and in a new one");
  expect(shown()).toContain("My alarm code is [forgotten].");
});
