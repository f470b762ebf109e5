// The history of a conversation for a front end: pages of messages with what the tools did, one message by its id, and the
// conversation's title.
import { z } from "zod";
import { defineTool } from "../../src/tool/define-tool.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();

test("a turn is its input with its file, the reply with its call, result and edit, and the text", async () => {
  const { agent, runtime } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "You sail." }]);
  const file = { data: Buffer.from("a boat"), name: "boat.txt" };
  await drain(agent.send("I sail", { files: [file] }));
  const { messages, hasOlder, hasNewer } = await runtime.conversations.messages(agent.conversationId);
  const [input, reply, text] = messages.filter(({ kind }) => kind === "message");
  expect([hasOlder, hasNewer]).toEqual([false, false]);
  expect(input!.content).toContainEqual(expect.objectContaining({ type: "file", name: "boat.txt" }));
  expect(reply!.calls).toMatchObject([{ name: "core_memory_append", status: "ok", result: { files: [] } }]);
  expect(reply!.edits).toMatchObject([{ label: "human", before: "", after: "Sails", revision: 1 }]);
  expect([text!.text, text!.calls, text!.edits]).toEqual(["You sail.", [], []]);
  expect(messages.map(({ role }) => role)).not.toContain("tool");
});

test("pages join without a gap or a repetition, whatever their size", async () => {
  const { agent, runtime } = await openScene(runtimes, [
    { toolCalls: [append("Sails"), append("Swims")] },
    { text: "Noted." },
    { text: "Yes." },
  ]);
  for (const text of ["I sail and swim", "Really"]) await drain(agent.send(text));
  const { conversations } = runtime;
  const id = agent.conversationId;
  const all = (await conversations.messages(id, { limit: 500 })).messages;
  expect(all.map(({ text }) => text)).toEqual(["I sail and swim", "", "Noted.", "Really", "Yes."]);
  for (let limit = 1; limit <= all.length; limit += 1) {
    const backwards: string[] = [];
    for (let page = await conversations.messages(id, { limit }); ; ) {
      backwards.unshift(...page.messages.map((message) => message.id));
      if (!page.hasOlder) break;
      page = await conversations.messages(id, { limit, before: page.messages[0]!.id });
    }
    const first = await conversations.messages(id, { limit, from: "beginning" });
    expect(first.hasOlder).toBe(false);
    const forwards = first.messages.map((message) => message.id);
    for (let { hasNewer } = first; hasNewer; ) {
      const page = await conversations.messages(id, { limit, after: forwards.at(-1)! });
      forwards.push(...page.messages.map((message) => message.id));
      ({ hasNewer } = page);
    }
    const ids = all.map((message) => message.id);
    expect([backwards, forwards]).toEqual([ids, ids]);
  }
});

test("a message has the key that it was sent with, and a call what it waited for", async () => {
  const [asked, own] = ["ask_browser", "read_clock"].map((name) => ({ name, arguments: {} }));
  const { agent, runtime } = await openScene(runtimes, [{ toolCalls: [asked!, own!] }, { text: "Done." }], {
    tools: {
      add: [
        defineTool({
          name: "ask_browser",
          description: "Asks.",
          parameters: z.object({}),
          approval: true,
          run: () => "yes",
        }),
      ],
    },
  });
  const clientTools = [{ name: "read_clock", description: "Reads it.", parameters: { type: "object" } as const }];
  await drain(agent.send({ messages: [{ text: "Go", idempotencyKey: "k1" }] }, { clientTools }));
  const read = async () => (await runtime.conversations.messages(agent.conversationId)).messages.slice(0, 2);
  const requests = async () => (await read())[1]!.calls.map(({ name, request }) => [name, request]);
  expect((await read()).map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k1", null]);
  const waits = { verdict: null, reason: null };
  expect(await requests()).toEqual([
    ["ask_browser", { awaits: "approval", ...waits }],
    ["read_clock", { awaits: "result", ...waits }],
  ]);
  await agent.deny(agent.pendingApprovals[0]!.callId, { reason: "not now" });
  await agent.answer([{ callId: agent.pendingResults[0]!.callId, status: "ok", text: "noon" }]);
  expect(await requests()).toEqual([
    ["ask_browser", { awaits: "approval", verdict: "denied", reason: "not now" }],
    ["read_clock", { awaits: "result", ...waits }],
  ]);
  const turn = await runtime.turns.findByKey(agent.conversationId, "k1");
  expect(turn).toMatchObject({ conversationId: agent.conversationId, state: "completed" });
  expect(await runtime.turns.findByKey(agent.conversationId, "k2")).toBeNull();
});

test("a copied conversation shows the calls and their results, without edits: these belong to the original", async () => {
  const { agent, runtime } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "You sail." }]);
  await drain(agent.send("I sail"));
  const { id } = await runtime.conversations.fork(agent.conversationId);
  const { messages } = await runtime.conversations.messages(id);
  expect(messages.map(({ calls, edits }) => [calls.map(({ status }) => status), edits])).toEqual([
    [[], []],
    [["ok"], []],
    [[], []],
  ]);
});

test("a call that waits for approval has no result yet", async () => {
  const { agent, runtime } = await openScene(runtimes, [{ toolCalls: [append("Sails")] }], {
    approvals: ["core_memory_append"],
  });
  await drain(agent.send("I sail"));
  const { messages } = await runtime.conversations.messages(agent.conversationId);
  expect(messages.at(-1)!.calls).toMatchObject([{ status: "awaiting-approval", result: null }]);
});

test.each([{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { limit: Number.NaN }, { before: "a", after: "b" }])(
  "the page %o is refused",
  async (page) => {
    const { agent, runtime } = await openScene(runtimes, []);
    await expect(runtime.conversations.messages(agent.conversationId, page)).rejects.toMatchObject({
      code: "input_invalid",
    });
  },
);

test("a title is set by the program or /rename, and is copied with the conversation", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }]);
  const { agent, runtime, name } = scene;
  await drain(agent.send("Hi"));
  expect((await runtime.conversations.rename(agent.conversationId, "  Boats  ")).title).toBe("Boats");
  expect((await typeLine("/rename Boats and 船", scene)).text).toContain(
    'This conversation is now called "Boats and 船".',
  );
  await runtime.conversations.fork(agent.conversationId);
  expect((await runtime.conversations.list(name)).map(({ title }) => title)).toEqual(["Boats and 船", "Boats and 船"]);
  expect((await typeLine("/rename", scene)).text).toContain("Missing title");
});

test.each(["", "  ", "two\nlines", "a".repeat(201), "👍".repeat(201)])("the title %j is refused", async (title) => {
  const { agent, runtime, name } = await openScene(runtimes, []);
  await expect(runtime.conversations.rename(agent.conversationId, title)).rejects.toMatchObject({
    code: "input_invalid",
  });
  const at = new Date("2026-11-21T10:00:00Z");
  const imported = { title, messages: [{ role: "user", text: "Hi", at }] } as const;
  await expect(runtime.conversations.import(name, imported)).rejects.toMatchObject({ code: "input_invalid" });
  expect((await runtime.conversations.list(name)).map((listed) => listed.title)).not.toContain(title);
});

test("a title of 200 emoji is accepted", async () => {
  const { agent, runtime } = await openScene(runtimes, []);
  const title = "👍".repeat(200);
  expect((await runtime.conversations.rename(agent.conversationId, title)).title).toBe(title);
});

test("a message is found by its id as on its page, and after it was left behind", async () => {
  const call = { toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "Sails" } }] };
  const model = createScriptedModel({ replies: [call, { text: "Noted." }, { text: "Again." }] });
  const runtime = await runtimes.open({ userId: "ada", model: "scripted", models: [model] });
  await runtime.agents.create({ name: "main" });
  const agent = await runtime.agents.open("main");
  await agent.send("I sail");
  const { messages } = await runtime.conversations.messages(agent.conversationId);
  expect(messages).toHaveLength(3);
  const where = { agentId: agent.record.id, conversationId: agent.conversationId };
  for (const message of messages) {
    expect(await runtime.conversations.message(message.id)).toEqual({ ...message, ...where });
  }
  const called = messages[1]!;
  expect(called.calls).toMatchObject([{ name: "core_memory_append", status: "ok", result: { files: [] } }]);
  await agent.retry({ memory: "keep" });
  expect(await runtime.conversations.message(called.id)).toEqual({ ...called, ...where });
});
