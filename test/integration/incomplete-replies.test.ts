// Replies that the provider ended before they were complete, and events of a program's own model that do not follow the protocol:
// which calls run, what the turn reports, and what is kept.
import { z } from "zod";
import { type ScriptedReplies, createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { Model, ModelEvent } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { checkRequest } from "../support/check-request.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

/** A scene with the tool `wipe`, whose only parameter is optional, and the pages that it wiped. */
async function scene(
  replies: ScriptedReplies,
  { approval = false, ...options }: RuntimeOptions & { approval?: boolean } = {},
) {
  const wiped: string[] = [];
  const wipe = defineTool({
    name: "wipe",
    description: "Wipes a page, or all pages.",
    parameters: z.object({ page: z.string().optional().describe("The page. Default: all pages.") }),
    approval,
    run: ({ page = "all" }) => void wiped.push(page),
  });
  const opened = await openScene(runtimes, replies, { tools: { add: [wipe] }, ...options });
  return { ...opened, wiped };
}

const wipes = (args: object | string) => ({ name: "wipe", arguments: args });

test.each([false, true])("a call of a refused reply is not run; the tool needs approval: %s", async (approval) => {
  const refused = { text: "I cannot", toolCalls: [append("Ada"), wipes({})], stopReason: "refusal" } as const;
  const { agent, model, wiped } = await scene([refused, { text: "Hello." }], { approval });
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "refusal", text: "I cannot", steps: 1 });
  expect([wiped, agent.memory.read("human"), agent.pendingApprovals]).toEqual([[], "", []]);
  expect(await lastOf(agent.send("hi"))).toMatchObject({ stopReason: "end-turn", text: "Hello." });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("tool-call");
});

test.each(["{}", "", " { } "])(
  "a call without arguments (%j) at the length limit is not run, because they may be missing",
  async (args) => {
    const { agent, model, wiped } = await scene([
      { toolCalls: [wipes({ page: "one" }), wipes(args)], stopReason: "length" },
      { text: "again" },
    ]);
    expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", text: "again" });
    expect(wiped).toEqual(["one"]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("the reply was truncated");
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  },
);

test("a call without arguments runs in a complete reply", async () => {
  const { agent, wiped } = await scene([{ toolCalls: [wipes("")] }, { text: "done" }]);
  await drain(agent.send("go"));
  expect(wiped).toEqual(["all"]);
});

test("small mistakes in arguments are repaired in a complete reply, and never in a truncated one", async () => {
  const written = "{'page': 'two',}";
  const { agent, wiped } = await scene([
    { toolCalls: [wipes(written)], stopReason: "length" },
    { toolCalls: [wipes("{'page': 'one',}")] },
    { text: "done" },
  ]);
  await drain(agent.send("go"));
  expect(wiped).toEqual(["one"]);
  const calls = agent.messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-call"));
  expect(calls.map((call) => call.arguments)).toEqual([written, '{"page": "one"}']);
});

const said = { type: "text-delta", text: "The harbour is open." };
const end = { type: "end", stopReason: "end", usage: noUsage };

const modelOf = (events: readonly unknown[]): Model => ({
  name: "mine",
  contextWindow: 32_000,
  async *stream() {
    for (const event of events) yield event as ModelEvent;
  },
});

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
    '`outputTokens` of `usage` of the event "end" to be a whole number of tokens, at least 0, got the number 0.5',
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
    message: expect.stringContaining('`models` has several: "one", "two"'),
  });
});
