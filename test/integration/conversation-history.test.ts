// The history of a conversation for another prompt: whose messages, how many, how many tokens, and as what.
import type { Agent } from "../../src/agent/agent.ts";
import type { HistoryOptions } from "../../src/runtime/conversations/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const unknownId = "00000000-0000-7000-8000-000000000000";
const prefix = { user: "Human", assistant: "Assistant" };

async function talked() {
  const scene = await openScene(runtimes, [
    { toolCalls: [append("Sails")] },
    { text: "You sail." },
    { text: "Indeed." },
    { text: "Truly." },
  ]);
  for (const text of ["I sail", "Really"]) await drain(scene.agent.send(text));
  return scene;
}

const historyOf = (runtime: Runtime, agent: Agent, options: Partial<HistoryOptions> = {}) =>
  runtime.conversations.history({ conversation: agent.conversationId, ...options });

test("contains the visible messages, without calls and their results", async () => {
  const { agent, runtime } = await talked();
  const history = await historyOf(runtime, agent);
  expect(history.messages.map(({ role, text }) => [role, text])).toEqual([
    ["user", "I sail"],
    ["assistant", "You sail."],
    ["user", "Really"],
    ["assistant", "Indeed."],
  ]);
  expect(history).toMatchObject({ text: null, query: null, isComplete: true });
  expect(history.tokens).toBe(history.messages.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(history.messages[0]).toMatchObject({ id: agent.messages[0]!.id, at: agent.messages[0]!.at });
});

test("is a text with role prefixes", async () => {
  const { agent, runtime } = await talked();
  const { text, tokens } = await historyOf(runtime, agent, { rolePrefix: prefix });
  expect(text).toBe("Human: I sail\nAssistant: You sail.\nHuman: Really\nAssistant: Indeed.");
  expect(tokens).toBeGreaterThan(0);
});

test("is that of the given leaf, on the thread or on an abandoned branch", async () => {
  const { agent, runtime } = await talked();
  const left = agent.messages.at(-1)!.id;
  await drain(agent.retry());
  const end = async (leaf?: string) =>
    (await historyOf(runtime, agent, leaf === undefined ? {} : { leaf })).messages.at(-1)?.text;
  expect([await end(), await end(left), await end(agent.messages[3]!.id)]).toEqual(["Truly.", "Indeed.", "You sail."]);
});

test("leaves out an unanswered message: it is the question", async () => {
  const { agent, runtime } = await talked();
  const { messages } = await historyOf(runtime, agent, { leaf: agent.messages.at(-2)!.id });
  expect(messages.map(({ text }) => text)).toEqual(["I sail", "You sail."]);
  expect((await historyOf(runtime, agent, { leaf: agent.messages[0]!.id })).messages).toEqual([]);
});

test("drops the oldest until it fits the tokens, and says so", async () => {
  const { agent, runtime } = await talked();
  const whole = await historyOf(runtime, agent);
  for (let dropped = 0; dropped <= 4; dropped += 1) {
    const kept = whole.messages.slice(dropped);
    const maxTokens = kept.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(await historyOf(runtime, agent, { maxTokens })).toMatchObject({
      messages: kept,
      tokens: maxTokens,
      isComplete: dropped === 0,
    });
  }
  expect((await historyOf(runtime, agent, { maxTokens: whole.tokens - 1 })).messages).toHaveLength(3);
});

test("has at most the limit of messages, or the window if it is enabled", async () => {
  const { agent, runtime } = await talked();
  const count = async (options: Partial<HistoryOptions>) => (await historyOf(runtime, agent, options)).messages.length;
  expect(await count({ messageLimit: 3 })).toBe(3);
  expect(await count({ window: { enabled: true, size: 2 } })).toBe(2);
  expect(await count({ window: { enabled: false, size: 2 } })).toBe(4);
  expect(await count({ window: { enabled: true, size: 3 }, messageLimit: 1 })).toBe(1);
});

test("returns the question in its template, and counts it toward no limit", async () => {
  const { agent, runtime } = await talked();
  const asked = { query: "Where?", maxTokens: 0 };
  expect(await historyOf(runtime, agent, asked)).toMatchObject({ messages: [], query: "Where?" });
  expect(await historyOf(runtime, agent, { ...asked, queryTemplate: "Briefly: {{#sys.query#}}" })).toMatchObject({
    query: "Briefly: Where?",
  });
});

test("is read page by page: a long conversation is complete, and cut at its limit", async () => {
  const { agent, runtime } = await openScene(runtimes, () => ({ text: "so" }));
  for (let round = 0; round < 60; round += 1) await drain(agent.send(`round ${round}`));
  const whole = await historyOf(runtime, agent, { maxTokens: 1e6 });
  expect(whole).toMatchObject({ isComplete: true });
  expect(whole.messages).toHaveLength(120);
  expect(whole.messages[0]?.text).toBe("round 0");
  const cut = await historyOf(runtime, agent, { messageLimit: 110, maxTokens: 1e6 });
  expect([cut.isComplete, cut.messages.length, cut.messages[0]?.text]).toEqual([false, 110, "round 5"]);
});

test.each([
  ["a leaf that is not there", { leaf: unknownId }, "message_not_found"],
  ["a leaf that is no id", { leaf: "'a\u0000" }, "message_not_found"],
  ["fewer than no tokens", { maxTokens: -1 }, "input_invalid"],
  ["half a token", { maxTokens: 0.5 }, "input_invalid"],
  ["no messages", { messageLimit: 0 }, "input_invalid"],
  ["a window of nothing", { window: { enabled: true, size: 0 } }, "input_invalid"],
  ["a template without a question", { queryTemplate: "{{#sys.query#}}" }, "input_invalid"],
  ["another placeholder", { query: "Where?", queryTemplate: "{{#sys.files#}}" }, "input_invalid"],
])("with %s is refused", async (_, options, code) => {
  const { agent, runtime } = await openScene(runtimes, []);
  await expect(historyOf(runtime, agent, options)).rejects.toMatchObject({ code });
});

test("of a heartbeat agent contains the sent text, not the calls", async () => {
  const { agent, runtime } = await openScene(
    runtimes,
    [{ toolCalls: [{ name: "send_message", arguments: { message: "Ahoy." } }] }],
    { protocol: "heartbeat" },
  );
  await drain(agent.send("Hi"));
  expect((await historyOf(runtime, agent, { rolePrefix: prefix })).text).toBe("Human: Hi\nAssistant: Ahoy.");
});
