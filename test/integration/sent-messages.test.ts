// Several messages in one input: of the user and of the program, committed together and answered in one turn.
import type { Agent } from "../../src/agent/agent.ts";
import type { SentMessage } from "../../src/agent/turn-options.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Protocol } from "../../src/store/port/records.ts";
import { createScriptedModel, type ScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import { useStore } from "../support/database.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, lastOf } from "../support/runtime.ts";

const { test: opened } = useStore();
let names = 0;

async function openTalk(protocol: Protocol = "native"): Promise<{
  readonly agent: Agent;
  readonly other: Agent;
  readonly model: ScriptedModel;
}> {
  names += 1;
  const name = `several-${names}`;
  const reply =
    protocol === "native"
      ? { text: "Fine." }
      : { toolCalls: [{ name: "send_message", arguments: { message: "Fine." } }] };
  const model = createScriptedModel({ replies: () => reply });
  const options = { model: "scripted", models: [model], embedder: null, clock: createManualClock() };
  const runtime = await composeRuntime(options, { store: opened.store });
  const agent = await runtime.agents.open(name, { create: { protocol } });
  const other = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  return { agent, other, model };
}

const talk: readonly SentMessage[] = [
  { text: "one" },
  { role: "system", text: "The shop closes at noon." },
  { text: "two", name: "Ada" },
];

async function storedInputs({ conversationId }: Agent) {
  const { messages } = await opened.store.as("local").conversations.thread(conversationId);
  return messages
    .filter(({ role, kind }) => role === "user" && kind !== "event")
    .map(({ text, kind, speaker, turnId }) => ({ text, kind, turnId, ...(speaker === undefined ? {} : { speaker }) }));
}

test("several messages are committed in order as one turn, which answers the last one", async () => {
  const { agent, model } = await openTalk();
  const events = await drain(agent.send({ messages: talk }));
  const { turnId } = events[0]!;
  expect(await storedInputs(agent)).toEqual([
    { text: "one", kind: "message", turnId },
    { text: "The shop closes at noon.", kind: "system", turnId },
    { text: "two", kind: "message", turnId, speaker: "Ada" },
  ]);
  expect(events[0]).toMatchObject({ type: "turn-start", messageId: agent.messages[2]!.id });
  expect(model.requests).toHaveLength(1);
});

test("the model sees which messages are the program's, and who wrote the others", async () => {
  const { agent, model } = await openTalk();
  await drain(agent.send({ messages: talk }));
  const shown = (model.requests[0]?.messages ?? []).map(textOf);
  const time = shown[0]!.slice(1, shown[0]!.indexOf("]"));
  expect(shown).toEqual([
    `[${time}] one`,
    `[${time}, system message, not from the user] The shop closes at noon.`,
    `[${time}, Ada] two`,
  ]);
});

test("in the heartbeat protocol, a message of the program is an envelope of its own", async () => {
  const { agent, model } = await openTalk("heartbeat");
  await drain(agent.send({ messages: talk }));
  const [, , , ...shown] = (model.requests[0]?.messages ?? []).map(textOf);
  expect(shown.slice(-3).map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { type: "user_message", message: "one" },
    { type: "system_message", message: "The shop closes at noon." },
    { type: "user_message", message: "two", name: "Ada" },
  ]);
});

test("a conversation that is read again shows the same window", async () => {
  const { agent, other, model } = await openTalk();
  await drain(agent.send({ messages: talk }));
  const shown = model.requests[0]?.messages;
  await drain(other.send("three"));
  expect(model.requests[1]?.messages.slice(0, 3)).toEqual(shown);
});

test("recall finds the user's messages, not the program's", async () => {
  const { agent } = await openTalk();
  await drain(agent.send({ messages: [{ role: "system", text: "zebras are extinct" }, { text: "zebras are fine" }] }));
  const rows = await opened.ownerRows(
    `select author, search_text from messages where conversation_id = '${agent.conversationId}' and role = 'user' order by position`,
  );
  expect(rows).toEqual([
    { author: "program", search_text: null },
    { author: "user", search_text: "zebras are fine" },
  ]);
});

test("a turn of messages of the program alone is answered, and resumed after an outage", async () => {
  const { agent, model } = await openTalk();
  expect(await lastOf(agent.send({ messages: [{ role: "system", text: "It is noon." }] }))).toMatchObject({
    stopReason: "end-turn",
    text: "Fine.",
  });
  const { conversationId } = agent;
  // Without its reply, the turn is one that a killed process left.
  await agent.switchTo(agent.messages[0]!.id);
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ stopReason: "end-turn", conversationId });
  expect(model.requests).toHaveLength(2);
});

describe("a repeated key", () => {
  const keyed = [
    { text: "one", idempotencyKey: "k1" },
    { text: "two", idempotencyKey: "k2" },
  ];

  test("reads the turn of the first call and adds no message", async () => {
    const { agent, other, model } = await openTalk();
    const first = await drain(agent.send({ messages: keyed }));
    expect(await drain(other.send({ messages: keyed }))).toEqual(first);
    expect(await drain(other.send("two", { idempotencyKey: "k2" }))).toEqual(first);
    const started = await other.start({ messages: keyed });
    expect(started.id).toBe(first[0]!.turnId);
    expect(model.requests).toHaveLength(1);
    expect(await storedInputs(agent)).toHaveLength(2);
  });

  test("beside a new one refuses the call, with nothing written", async () => {
    const { agent } = await openTalk();
    await drain(agent.send({ messages: keyed }));
    const mixed = { messages: [...keyed, { text: "three", idempotencyKey: "k3" }] };
    await expect(drain(agent.send(mixed))).rejects.toMatchObject({ code: "input_repeated" });
    await expect(agent.start(mixed)).rejects.toMatchObject({ code: "input_repeated" });
    expect(await storedInputs(agent)).toHaveLength(2);
  });
});

test("a queued input keeps its messages together, and each key finds its turn", async () => {
  const { agent } = await openTalk();
  const { inputs, events } = opened.store.as("local");
  const turnId = "018f0000-0000-7000-8000-0000000000aa";
  const messages = [
    { idempotencyKey: "q1", content: [{ type: "text", text: "left" }] },
    { idempotencyKey: "q2", role: "system", content: [{ type: "text", text: "behind" }] },
  ] as const;
  await inputs.enqueue(agent.conversationId, { turnId, messages });
  expect(await events.turnOf(agent.conversationId, "q1")).toBe(turnId);
  expect(await events.turnOf(agent.conversationId, "q2")).toBe(turnId);
  await opened.ownerRows("update inputs set waits_until = now() - interval '1 second' where idempotency_key = 'q1'");
  await drain(agent.send("mine"));
  expect(await storedInputs(agent)).toMatchObject([
    { text: "left", kind: "message" },
    { text: "behind", kind: "system" },
    { text: "mine", kind: "message" },
  ]);
  const known = agent.messages[0]!.turnId;
  expect(await events.turnOf(agent.conversationId, "q2")).toBe(known);
});

test("files of several messages are stored with their messages", async () => {
  const { agent } = await openTalk();
  const file = { data: Buffer.from("hello"), name: "note.txt" };
  await drain(agent.send({ messages: [{ text: "look", files: [file] }, { text: "and answer" }] }));
  expect(agent.messages.slice(0, 2).map(({ content, trust }) => [content.map(({ type }) => type), trust])).toEqual([
    [["text", "file"], "external"],
    [["text"], "user"],
  ]);
});

const refusals: readonly [string, Parameters<Agent["send"]>, RegExp][] = [
  ["no messages", [{ messages: [] }], /1 to 100 messages, got 0/u],
  ["too many messages", [{ messages: Array.from({ length: 101 }, () => ({ text: "x" })) }], /got 101/u],
  ["a blank message", [{ messages: [{ text: "x" }, { text: " " }] }], /message 2, got neither/u],
  ["a blank name", [{ messages: [{ text: "x", name: " " }] }], /name of 1 to 200/u],
  ["a key of two messages", [{ messages: ["a", "b"].map((text) => ({ text, idempotencyKey: "k" })) }], /same key/u],
  ["a key of the call", [{ messages: [{ text: "x" }] }, { idempotencyKey: "k" }], /in the messages themselves/u],
  ["another role", [{ messages: [{ text: "x", role: "tool" as "user" }] }], /messages\[0\]\.role/u],
];

test.each(refusals)("%s is refused, with nothing written", async (_what, args, problem) => {
  const { agent } = await openTalk();
  const call = async () => drain(agent.send(...args));
  await expect(call()).rejects.toMatchObject({
    code: "input_invalid",
    message: expect.stringMatching(problem) as string,
  });
  expect(await storedInputs(agent)).toEqual([]);
});
