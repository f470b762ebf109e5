// Recall through the runtime: conversations that were held elsewhere, vectors that are made behind the scenes, and neighbours.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ConversationImport } from "../../src/runtime/conversations/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createFailingEmbedder, type FailingEmbedder } from "../support/failing-embedder.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let embedder: FailingEmbedder;
let number = 0;

beforeEach(() => (embedder = createFailingEmbedder()));

async function open(options: RuntimeOptions = {}): Promise<Runtime> {
  number += 1;
  const runtime = await runtimes.open({ userId: `user ${number}`, embedder, ...options });
  await runtime.agents.create({ name: "main" });
  return runtime;
}

const at = (minute: number) => new Date(Date.UTC(2026, 4, 8, 10, minute));
const talk: ConversationImport = {
  title: "On the quay",
  messages: [
    { role: "user", speaker: "Ada", text: "Where do you keep the key?", at: at(0) },
    { role: "assistant", speaker: "Ben", text: "Under the blue pot.", at: at(1) },
    { role: "user", speaker: "Ada", text: "Clever.", at: at(2) },
  ],
};

describe("an imported conversation", () => {
  it("is stored with its title, speakers and times, as external, with its last message as time of use", async () => {
    const runtime = await open({ embedder: null });
    const { id } = await runtime.conversations.import("main", talk);
    expect(await runtime.conversations.list("main")).toMatchObject([
      { id, title: "On the quay", messages: 3, createdAt: at(0), updatedAt: at(2) },
    ]);
    const { hits } = await runtime.recall.searchDate("main", { start: "2026-05-08", end: "2026-05-08" });
    expect(hits).toMatchObject(talk.messages.map((message) => ({ ...message, trust: "external" })));
    const agent = await runtime.agents.open("main", { conversation: { id } });
    expect(agent.messages.map(({ text }) => text)).toEqual(talk.messages.map(({ text }) => text));
  });

  it("is returned with the neighbours of a hit, on request", async () => {
    const runtime = await open({ embedder: null });
    await runtime.conversations.import("main", talk);
    const { hits } = await runtime.recall.search("main", '"blue pot"', { neighbours: 1 });
    expect(hits).toMatchObject([
      { text: "Under the blue pot.", neighbours: { before: [{ speaker: "Ada" }], after: [{ text: "Clever." }] } },
    ]);
    expect((await runtime.recall.search("main", '"blue pot"')).hits[0]).not.toHaveProperty("neighbours");
    const day = { start: "2026-05-08", end: "2026-05-08" };
    expect((await runtime.recall.searchDate("main", day, { neighbours: 1 })).hits[0]!.neighbours!.before).toEqual([]);
    expect((await runtime.recall.search("main", "pot", { start: "2026-05-09" })).total).toBe(0);
    expect((await runtime.recall.search("main", "pot", { end: "2026-05-08" })).total).toBeGreaterThan(0);
  });

  it.each<[string, object, string]>([
    ["no message", { messages: [] }, "Expected at least one message"],
    [
      "another role",
      { messages: [{ ...talk.messages[0], role: "tool" }] },
      '`messages[0].role` to be "user" or "assistant", got a string',
    ],
    [
      "a blank text",
      { messages: [talk.messages[0], { ...talk.messages[1], text: "\n \t" }] },
      "message 2 to have some text",
    ],
    ["a blank speaker", { messages: [{ ...talk.messages[0], speaker: " " }] }, "speaker of message 1"],
    ["an endless speaker", { messages: [{ ...talk.messages[0], speaker: "a".repeat(1e6) }] }, "speaker of message 1"],
    [
      "no time",
      { messages: [{ ...talk.messages[0], at: new Date("never") }] },
      "`messages[0].at` to be a Date with a time in the years 1 to 9999, got an invalid Date",
    ],
    ["messages in disorder", { messages: [...talk.messages].reverse() }, "in the order of their times, got message 2"],
  ])("is refused with %s, and nothing is stored", async (_, conversation, message) => {
    const runtime = await open({ embedder: null });
    await expect(runtime.conversations.import("main", conversation as ConversationImport)).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(message),
    });
    expect(await runtime.conversations.list("main")).toEqual([]);
  });

  it("accepts any text, including huge ones", async () => {
    const runtime = await open({ embedder: null });
    const texts = ["a".repeat(1e6), "你好", "🦀", "\ud800 lone", "</human>", "100%_"];
    const messages = texts.map((text, index) => ({ role: "user" as const, text, at: at(index) }));
    await runtime.conversations.import("main", { messages });
    expect((await runtime.recall.search("main", '"100%_"')).hits).toMatchObject([{ text: "100%_" }]);
    expect((await runtime.recall.search("main", "你好")).hits[0]).toMatchObject({ text: "你好" });
  });
});

describe("invalid numbers", () => {
  it.each([
    [{ neighbours: -1 }, "`neighbours`"],
    [{ neighbours: 1.5 }, "`neighbours`"],
    [{ neighbours: 101 }, "`neighbours`"],
    [{ weights: { context: Number.NaN } }, "the weight `context`"],
    [{ weights: { meaning: -1 } }, "the weight `meaning`"],
  ])("%j", async (options, message) => {
    const runtime = await open({ embedder: null });
    await expect(runtime.recall.search("main", "pot", options)).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(message),
    });
  });
});

describe("vectors of messages", () => {
  it("are computed in the background, from the message and the question that it answers", async () => {
    const runtime = await open();
    await runtime.conversations.import("main", talk);
    await runtime.idle();
    expect(embedder.calls).toEqual([
      ["Ada: Clever.", "Where do you keep the key? Ben: Under the blue pot.", "Ada: Where do you keep the key?"],
    ]);
    // The test's embedder gives texts of one length the same direction.
    const alike = "x".repeat("Ada: Clever.".length);
    const { hits, ...page } = await runtime.recall.search("main", alike);
    expect(page).toEqual({ page: 0, pageSize: 5, total: 1, wordsAlone: false });
    expect(hits).toMatchObject([{ text: "Clever.", explanation: { words: null, meaning: { rank: 1 } } }]);
  });

  it("are computed after a turn, which does not wait for them, and only from visible messages", async () => {
    const model = createScriptedModel({ replies: [{ text: "Ahoy, Ada." }] });
    const runtime = await open({ model: model.name, models: [model] });
    embedder.mode = "hanging";
    const agent = await runtime.agents.open("main");
    const events = await drain(agent.send("I live in Lisbon"));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
    expect(embedder.made).toEqual([]);
    embedder.mode = "up";
    await runtime.idle();
    expect(embedder.made.toSorted()).toEqual(["Ahoy, Ada.", "I live in Lisbon"]);
  });

  it("that an outage left missing are computed later; until then search uses words, and says so", async () => {
    const runtime = await open();
    embedder.mode = "down";
    await runtime.conversations.import("main", talk);
    expect(await runtime.recall.search("main", "pot")).toMatchObject({ total: 1, wordsAlone: true });
    expect(await runtime.recall.search("main", '"pot"')).toMatchObject({ wordsAlone: false });
    embedder.mode = "up";
    await runtime.idle();
    expect(await runtime.recall.search("main", "pot")).toMatchObject({ wordsAlone: false });
    expect(embedder.calls.at(-1)).toEqual(["pot"]);
  });
});

it("an embedder is informed which texts are queries: those of both searches, and no stored text", async () => {
  const asked: string[] = [];
  const kept: string[] = [];
  const inner = createFailingEmbedder();
  const told: typeof inner = {
    ...inner,
    embed: (texts, options) => {
      (options?.isQuery === true ? asked : kept).push(...texts);
      return inner.embed(texts, options);
    },
  };
  const runtime = await open({ embedder: told });
  await runtime.archival.add("main", "The key is under the pot.");
  await runtime.conversations.import("main", talk);
  await runtime.idle();
  await runtime.archival.search("main", "where is the key");
  await runtime.recall.search("main", "a blue pot");
  expect(asked).toEqual(["where is the key", "a blue pot"]);
  expect(kept).toHaveLength(4);
});
