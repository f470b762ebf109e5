// A model of the program's own that does not follow the protocol: what the turn reports, and what is kept.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Model, ModelEvent } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { createTestRuntimes, lastOf } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

const said = { type: "text-delta", text: "The harbour is open." };
const end = { type: "end", stopReason: "end", usage: noUsage };

function modelOf(events: readonly unknown[]): Model {
  return {
    name: "mine",
    contextWindow: 32_000,
    async *stream() {
      for (const event of events) yield event as ModelEvent;
    },
  };
}

test.each<[string, readonly unknown[], string]>([
  ["no end", [said], "the event `end` as the last one, got none"],
  ["an event after the end", [said, end, said], "nothing after the event `end`"],
  ["an unknown event", [said, { type: "delta", text: "x" }, end], "an event whose `type` is one of"],
  ["no event at all", [said, null, end], "got null"],
  ["a text that is no string", [said, { type: "text-delta", text: 5 }, end], '`text` of the event "text-delta"'],
  ["an end without usage", [said, { type: "end", stopReason: "end" }], '`usage` of the event "end"'],
  [
    "half tokens",
    [said, { ...end, usage: { ...noUsage, outputTokens: 0.5 } }],
    '`outputTokens` of `usage` of the event "end" to be a whole number of tokens from 0, got the number 0.5',
  ],
  ["an unknown stop reason", [said, { ...end, stopReason: "stop" }], '`stopReason` of the event "end"'],
  [
    "arguments as an object",
    [said, { type: "tool-call", callId: "1", name: "x", arguments: { a: 1 } }, end],
    '`arguments` of the event "tool-call" to be JSON as a string, got an object',
  ],
  ["a call without an id", [said, { type: "tool-call", name: "x", arguments: "{}" }, end], "`callId` of the event"],
])(
  "%s ends the turn with an error that names event and field, and the text is kept",
  async (title, events, expected) => {
    const runtime = await runtimes.open({ models: [modelOf(events)] });
    const agent = await runtime.agents.open(title, { create: { human: "" } });
    const turn = await lastOf(agent.send("Is the harbour open?"));
    expect(turn).toMatchObject({
      stopReason: "model-error",
      text: "The harbour is open.",
      error: { code: "model_protocol", message: expect.stringContaining(expected) },
    });
    expect(turn.error!.message).toContain('from the model "mine"');
    const { messages } = await runtime.conversations.messages(agent.conversationId);
    expect(messages.map(({ text, status }) => [text, status])).toEqual([
      ["Is the harbour open?", "complete"],
      ["The harbour is open.", "interrupted"],
    ]);
    await runtime.close();
  },
);

test("the only model that is passed is that of agents that name none, and of several, one must be named", async () => {
  const runtime = await runtimes.open({
    models: [createScriptedModel({ name: "mine", replies: [{ text: "Mine." }] })],
  });
  const agent = await runtime.agents.open("only", { create: { human: "" } });
  expect([agent.record.model, (await agent.send("Who answers?")).text]).toEqual(["mine", "Mine."]);
  const two = ["one", "two"].map((name) => createScriptedModel({ name, replies: [] }));
  await expect(runtimes.open({ models: two })).rejects.toMatchObject({
    code: "config_invalid",
    field: "model",
    message: expect.stringContaining('`models` has "one", "two"'),
  });
});
