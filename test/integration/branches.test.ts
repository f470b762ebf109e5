// Regenerating answers from anywhere on the thread, and switching conversations to another branch.
import type { Agent } from "../../src/agent/agent.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { openTestStore } from "../support/database.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const unknownId = "00000000-0000-7000-8000-000000000000";
const texts = (agent: Agent): readonly string[] => agent.messages.map(({ text }) => text);
const idOf = (agent: Agent, text: string): string => agent.messages.find((message) => message.text === text)!.id;

/** Three rounds; the first and the last write into memory. */
async function threeRounds() {
  const scene = await openScene(runtimes, [
    { toolCalls: [append("Sails")] },
    { text: "You sail." },
    { text: "Indeed." },
    { toolCalls: [append("Climbs")] },
    { text: "You climb." },
    { text: "A new answer." },
    { text: "Going on." },
  ]);
  for (const text of ["I sail", "Really", "I climb"]) await drain(scene.agent.send(text));
  return scene;
}

describe("regenerate", () => {
  test("regenerates the answer to an earlier user message, and reverts the memory edits made after it", async () => {
    const { agent, model } = await threeRounds();
    const events = await drain(agent.regenerate(idOf(agent, "Really")));
    expect(events.slice(0, 2)).toMatchObject([
      { type: "turn-start", messageId: idOf(agent, "Really") },
      { type: "memory-revert", edits: [{ label: "human", after: "Sails\nClimbs" }] },
    ]);
    expect(texts(agent)).toEqual(["I sail", "", "", "You sail.", "Really", "A new answer."]);
    expect(agent.memory.read("human")).toBe("Sails");
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user" });
    expect((await lastOf(agent.send("And?"))).text).toBe("Going on.");
  });

  test("regenerates a reply from the messages before it: earlier calls and their effects stay", async () => {
    const { agent, model } = await threeRounds();
    await drain(agent.regenerate(idOf(agent, "You climb.")));
    expect(texts(agent).slice(-4)).toEqual(["I climb", "", "", "A new answer."]);
    expect(agent.memory.read("human")).toBe("Sails\nClimbs");
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(await agent.branches()).toMatchObject([
      { isCurrent: true, preview: "A new answer." },
      { isCurrent: false, preview: "You climb.", ownMessages: 1 },
    ]);
  });

  test.each([
    ["revert", "Sails"],
    ["keep", "Sails\nClimbs"],
  ] as const)("of a reply with calls abandons the calls; with memory: %j it then contains %j", async (memory, held) => {
    const { agent } = await threeRounds();
    const call = agent.messages.at(-3)!.id;
    await drain(agent.regenerate(call, { memory }));
    expect(texts(agent).slice(-2)).toEqual(["I climb", "A new answer."]);
    expect(agent.memory.read("human")).toBe(held);
  });

  test("reaches messages before a compaction, whose summary is removed", async () => {
    const { agent, runtime, model } = await openScene(
      runtimes,
      [{ text: "One." }, { text: "Two." }, { text: "Three." }, { text: "A summary." }, { text: "Two again." }],
      { keepLast: 1 },
    );
    for (const text of ["first", "second", "third"]) await drain(agent.send(text));
    const second = idOf(agent, "second");
    await agent.compact();
    expect(texts(agent)).not.toContain("second");
    await drain(agent.regenerate(second));
    expect(texts(agent)).toEqual(["first", "One.", "second", "Two again."]);
    expect(JSON.stringify(model.requests.at(-1))).not.toContain("A summary.");
    const reopened = await runtime.agents.open(agent.record.name);
    expect(texts(reopened)).toEqual(texts(agent));
  });

  test("of a reply that a compaction has evicted has its message in the window", async () => {
    const { agent, model } = await openScene(
      runtimes,
      [{ text: "One." }, { text: "Two." }, { text: "A summary." }, { text: "Two again." }],
      { keepLast: 1 },
    );
    for (const text of ["first", "second"]) await drain(agent.send(text));
    const reply = idOf(agent, "One.");
    await agent.compact();
    expect(texts(agent)).toEqual(["second", "Two."]);
    await drain(agent.regenerate(reply));
    expect(model.requests.at(-1)?.messages.at(-1)?.content[0]).toMatchObject({
      text: expect.stringMatching(/ first$/u),
    });
  });

  test("of the reply of a raised turn answers its event again, in that turn", async () => {
    const replies = ["Hello.", "I think of you.", "I still do."].map((text) => ({ text }));
    const { agent } = await openScene(runtimes, replies);
    await drain(agent.send("Hi"));
    const [raised] = await drain(agent.raise("heartbeat"));
    const events = await drain(agent.regenerate(idOf(agent, "I think of you.")));
    expect(new Set(events.map(({ turnId }) => turnId))).toEqual(new Set([raised!.turnId]));
    expect(texts(agent)).toEqual(["Hi", "Hello.", "", "I still do."]);
  });

  test("is refused for messages that are neither input nor reply, and changes nothing", async () => {
    const { agent } = await threeRounds();
    const before = texts(agent);
    const refused = async (id: string, code: string) =>
      expect(drain(agent.regenerate(id))).rejects.toMatchObject({ code });
    await refused(unknownId, "message_not_found");
    await refused("no id", "message_not_found");
    await refused(agent.messages[2]!.id, "message_refused");
    const left = agent.messages.at(-1)!.id;
    await drain(agent.regenerate(left));
    await refused(left, "message_not_found");
    expect(texts(agent).slice(0, -1)).toEqual(before.slice(0, -1));
  });

  test("is refused for the runtime's own events and replies", async () => {
    const { agent } = await openScene(runtimes, [], { protocol: "heartbeat" });
    for (const { id } of agent.messages) {
      await expect(drain(agent.regenerate(id))).rejects.toMatchObject({ code: "message_refused" });
    }
    expect(agent.messages.length).toBeGreaterThan(0);
  });

  test("is refused if a later edit depends on one that would be reverted", async () => {
    const { agent, runtime, name } = await threeRounds();
    await runtime.memory.set(name, "human", "Sails and climbs");
    const before = texts(agent);
    await expect(drain(agent.regenerate(idOf(agent, "Really")))).rejects.toMatchObject({ code: "dependent_edits" });
    expect(texts(agent)).toEqual(before);
  });

  test("of the last input equals a retry", async () => {
    const { agent } = await threeRounds();
    await drain(agent.retry());
    expect(texts(agent).slice(-2)).toEqual(["I climb", "A new answer."]);
    expect(agent.memory.read("human")).toBe("Sails");
  });

  test("leaves an unfinished turn if the process ends after the move", async () => {
    const opened = await openTestStore();
    const user = opened.store.as("local");
    let isKilled = false;
    const reopen: typeof user.unfinishedTurns.reopen = async (lease, turn) => {
      if (isKilled) throw new Error("killed");
      return user.unfinishedTurns.reopen(lease, turn);
    };
    const store = { ...opened.store, as: () => ({ ...user, unfinishedTurns: { ...user.unfinishedTurns, reopen } }) };
    const model = createScriptedModel({ replies: [{ text: "Aye." }] });
    const runtime = await composeRuntime({ model: "scripted", models: [model], embedder: null }, { store });
    const agent = await runtime.agents.open("main", { create: { persona: "", human: "" } });
    await drain(agent.send("Hello"));
    const { turnId } = agent.messages.at(-1)!;
    expect(await user.unfinishedTurns.find(turnId)).toMatchObject({ stopReason: "end-turn" });
    isKilled = true;
    await expect(drain(agent.retry())).rejects.toThrow("killed");
    expect(await user.unfinishedTurns.find(turnId)).toMatchObject({ stopReason: null });
    await runtime.close();
    await opened.close();
  });
});

describe("send with `afterMessage`", () => {
  test("commits the input after an earlier message, or as the first one, and keeps the later messages as a branch", async () => {
    const { agent } = await threeRounds();
    await drain(agent.send("Once more", { afterMessage: idOf(agent, "You sail.") }));
    expect(texts(agent)).toEqual(["I sail", "", "", "You sail.", "Once more", "A new answer."]);
    await drain(agent.send("Hello", { afterMessage: null }));
    expect(texts(agent)).toEqual(["Hello", "Going on."]);
    expect(await agent.branches()).toHaveLength(3);
  });

  test("leaves the conversation as it was if the input is refused", async () => {
    const { agent, runtime } = await threeRounds();
    const afterMessage = idOf(agent, "You sail.");
    const message = { text: "Used", idempotencyKey: "used" };
    await drain(agent.send({ messages: [message] }));
    const before = texts(agent);
    const both = { messages: [message, { text: "New", idempotencyKey: "new" }] };
    await expect(drain(agent.send(both, { afterMessage }))).rejects.toMatchObject({ code: "input_repeated" });
    const call = agent.messages[1]!.id;
    await expect(drain(agent.send("x", { afterMessage: call }))).rejects.toMatchObject({ code: "message_refused" });
    expect(texts(agent)).toEqual(before);
    const reopened = await runtime.agents.open(agent.record.name);
    expect(texts(reopened)).toEqual(before);
  });
});

describe("switchTo", () => {
  test("goes to a branch and back; the window, recall and the next message follow, memory does not", async () => {
    const { agent, runtime, name, model } = await threeRounds();
    const whole = texts(agent);
    await drain(agent.regenerate(idOf(agent, "Really")));
    const [current, left] = await agent.branches();
    expect(left).toMatchObject({ preview: "You climb.", messages: 10, forkId: idOf(agent, "Really"), ownMessages: 5 });
    const revisions = (await runtime.memory.revisions(name)).length;

    await agent.switchTo(left!.id);
    expect(texts(agent)).toEqual(whole);
    expect(agent.memory.read("human")).toBe("Sails");
    expect(await runtime.memory.revisions(name)).toHaveLength(revisions);
    const found = async (query: string) => (await runtime.recall.search(name, query)).total;
    expect([await found('"climb"'), await found("new answer")]).toEqual([2, 0]);
    expect(await agent.branches()).toMatchObject([
      { id: left!.id, isCurrent: true },
      { id: current!.id, isCurrent: false },
    ]);

    await drain(agent.send("And?"));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("You climb.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("A new answer.");
    await agent.switchTo(current!.id);
    expect([await found("climb"), await found("new answer")]).toEqual([0, 1]);
    expect(texts(await runtime.agents.open(name))).toEqual(texts(agent));
  });

  test("restores the compaction of the branch", async () => {
    const { agent } = await openScene(
      runtimes,
      [{ text: "One." }, { text: "Two." }, { text: "A summary." }, { text: "Two again." }],
      { keepLast: 1 },
    );
    for (const text of ["first", "second"]) await drain(agent.send(text));
    const first = idOf(agent, "first");
    await agent.compact();
    const compacted = texts(agent);
    const end = agent.messages.at(-1)!.id;
    await drain(agent.regenerate(first));
    expect(texts(agent)).toEqual(["first", "Two again."]);
    await agent.switchTo(end);
    expect(texts(agent)).toEqual(compacted);
  });

  test("to the current leaf changes nothing", async () => {
    const { agent } = await threeRounds();
    const before = agent.messages.map(({ id }) => id);
    await agent.switchTo(before.at(-1)!);
    expect(agent.messages.map(({ id }) => id)).toEqual(before);
  });

  test("refuses to separate a call from its result, on the thread and on a branch", async () => {
    const { agent } = await threeRounds();
    const [, call, result] = agent.messages.map(({ id }) => id);
    const before = texts(agent);
    await expect(agent.switchTo(call!)).rejects.toMatchObject({ code: "message_refused" });
    expect(texts(agent)).toEqual(before);
    await agent.switchTo(agent.messages[0]!.id);
    await expect(agent.switchTo(call!)).rejects.toMatchObject({ code: "message_refused" });
    await agent.switchTo(result!);
    expect(agent.unfinished).toBe(true);
  });

  test("to a user message leaves the message unanswered", async () => {
    const { agent } = await threeRounds();
    await agent.switchTo(idOf(agent, "I climb"));
    expect(agent.unfinished).toBe(true);
    expect((await lastOf(agent.resume())).text).toBe("A new answer.");
  });

  test("refuses a message of another conversation", async () => {
    const { agent, runtime, name } = await threeRounds();
    const elsewhere = await runtime.agents.open(name, { conversation: "new" });
    for (const id of [unknownId, "no id", ""]) {
      await expect(agent.switchTo(id)).rejects.toMatchObject({ code: "message_not_found" });
    }
    await expect(elsewhere.switchTo(agent.messages[0]!.id)).rejects.toMatchObject({ code: "message_not_found" });
  });

  test("is seen by other sessions when their next turn begins", async () => {
    const { agent, runtime, name } = await threeRounds();
    const other = await runtime.agents.open(name);
    await agent.switchTo(agent.messages[0]!.id);
    await drain(other.send("And?"));
    expect(texts(other)).toEqual(["I sail", "And?", "A new answer."]);
  });

  test("restores a call that waits for approval with its branch", async () => {
    const { agent } = await openScene(
      runtimes,
      [{ text: "Hello." }, { toolCalls: [append("Sails")] }, { text: "Noted." }],
      { approvals: ["core_memory_append"] },
    );
    await drain(agent.send("Hi"));
    await drain(agent.send("I sail"));
    const waiting = agent.messages.at(-1)!.id;
    await agent.switchTo(idOf(agent, "Hello."));
    expect(agent.pendingApprovals).toEqual([]);
    await agent.switchTo(waiting);
    const [call] = agent.pendingApprovals;
    expect((await lastOf(agent.approve(call!.callId))).text).toBe("Noted.");
    expect(agent.memory.read("human")).toBe("Sails");
  });
});

describe("with the last message that the caller has read", () => {
  test("a change is refused when another process has written since, with nothing changed; else it is made", async () => {
    const { agent, runtime, name } = await threeRounds();
    const other = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
    const lastMessageId = agent.messages.at(-1)!.id;
    await drain(other.send("From elsewhere"));
    const expected = [...texts(agent), "From elsewhere", "A new answer."];
    const refused = { code: "agent_busy", message: expect.stringContaining("Another process has changed") };
    await expect(agent.pop(2, { lastMessageId })).rejects.toMatchObject(refused);
    await expect(agent.rewrite("Mine", { lastMessageId })).rejects.toMatchObject(refused);
    await expect(drain(agent.retry({ lastMessageId }))).rejects.toMatchObject(refused);
    await expect(drain(agent.regenerate(lastMessageId, { lastMessageId }))).rejects.toMatchObject(refused);
    await expect(agent.pop(2, { lastMessageId: null })).rejects.toMatchObject(refused);
    expect(texts(agent)).toEqual(expected);
    expect(agent.memory.read("human")).toBe("Sails\nClimbs");
    const { messages } = await agent.pop(2, { lastMessageId: agent.messages.at(-1)!.id });
    expect(messages.map(({ text }) => text)).toEqual(["From elsewhere", "A new answer."]);
  });
});
