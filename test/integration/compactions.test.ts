// Compactions through an agent: the summarizer's input, the window afterwards, the stored record, and undo.
import type { Agent } from "../../src/agent/agent.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import {
  createScriptedModel,
  type ScriptedReplies,
  type ScriptedReply,
} from "../../src/model/llm/scripted/scripted-model.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";
import { textOf } from "../../src/base/message/message.ts";
import { withoutTimes } from "../support/messages.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { factsOf } from "../support/state-text.ts";

const runtimes = useRuntimes();

interface Scene {
  readonly agent: Agent;
  readonly name: string;
  /** What the chat's model was last sent first, which is the summary when there is one. */
  readonly opening: () => string;
  /** What the summarizer was given, in order. */
  readonly summarized: readonly ModelRequest[];
  readonly reopen: () => Promise<Agent>;
}

let names = 0;

/** An agent whose chat says "ok" unless `replies` says otherwise, with a summarizer that answers by `summary`. */
async function scene(
  settings: Partial<AgentSettings>,
  summary: (request: ModelRequest, index: number) => ScriptedReply,
  { replies = () => ({ text: "ok" }), ...options }: RuntimeOptions & { readonly replies?: ScriptedReplies } = {},
): Promise<Scene> {
  names += 1;
  const name = `compacted-${names}`;
  const chat = createScriptedModel({ replies });
  const summarizer = createScriptedModel({ name: "cheap", contextWindow: 4000, replies: summary });
  const prices = { cheap: { input: 1, cachedInput: 0.5, output: 10 } };
  const runtime = await runtimes.open({ model: "scripted", models: [chat, summarizer], prices, ...options });
  const agent = await runtime.agents.open(name, {
    create: { settings: { summarizer: "cheap", keepLast: 2, ...settings } },
  });
  const opening = (): string => {
    const [first, second] = chat.requests.at(-1)?.messages ?? [];
    const texts = [first, second].map((message) => textOf(message ?? { content: [] }));
    return withoutTimes(texts.join("\n"));
  };
  return { agent, name, opening, summarized: summarizer.requests, reopen: () => runtime.agents.open(name) };
}

async function sayAll(agent: Agent, count: number, text = (at: number) => `message ${at}`): Promise<void> {
  for (let at = 1; at <= count; at += 1) await drain(agent.send(text(at)));
}

const given = (request: ModelRequest | undefined): string =>
  withoutTimes(textOf(request?.messages[0] ?? { content: [] }));
const numbered = (_request: ModelRequest, index: number): ScriptedReply => ({ text: `Summary ${index + 1}.` });

test("recursive: the earlier summary is included, and the note says that messages are hidden", async () => {
  const { agent, summarized, opening } = await scene({}, numbered);
  await sayAll(agent, 4);
  expect(await agent.compact()).toMatchObject({
    strategy: "recursive",
    messages: 6,
    summary: "Summary 1.",
    warnings: [],
  });
  await sayAll(agent, 2);
  expect(await agent.compact()).toMatchObject({ messages: 4, summary: "Summary 2." });
  expect(given(summarized[0])).toBe(
    "user: message 1\nassistant: ok\nuser: message 2\nassistant: ok\nuser: message 3\nassistant: ok",
  );
  expect(given(summarized[1])).toMatch(/^Earlier summary: Summary 1\.\n\nuser: message 4\n/u);
  await drain(agent.send("and now?"));
  expect(opening()).toBe(
    "Note: prior messages have been hidden from view. The next message is your summary of them.\nSummary 2.",
  );
  expect(await agent.compactions()).toMatchObject([
    { fromPosition: 1, throughPosition: 10, threadMessages: 12, model: "cheap" },
    { fromPosition: 1, throughPosition: 6, threadMessages: 8, model: "cheap" },
  ]);
});

test("MUXI: the 51st message turns the oldest ten into an entry, and entries follow each other", async () => {
  const { agent, summarized, opening, reopen } = await scene(
    { compaction: "ring", compactMessages: 50, keepLast: 5 },
    numbered,
  );
  await sayAll(agent, 25);
  expect(agent.messages).toHaveLength(50);
  const events = await drain(agent.send("the 51st"));
  expect(events.filter(({ type }) => type === "compaction")).toMatchObject([{ strategy: "ring", messages: 10 }]);
  expect(given(summarized[0]).split("\n")).toHaveLength(10);
  expect(agent.messages).toHaveLength(42);
  await sayAll(agent, 5);
  expect(given(summarized[1])).toMatch(/^user: message 6\n/u);
  expect(given(summarized[1])).not.toContain("Earlier summary");
  expect(opening()).toContain("\n[part 1 of 2] Summary 1.\n[part 2 of 2] Summary 2.");
  expect((await reopen()).messages).toEqual(agent.messages);
});

test("a full ring merges its oldest entries, and reads their messages again", async () => {
  const ring = { compaction: "ring", compactMessages: 8, ringBatch: 4, ringEntries: 2 } as const;
  const { agent, summarized, opening } = await scene(ring, numbered);
  await sayAll(agent, 9);
  // Two entries, then a third with the merge of the oldest two.
  const listed = await agent.compactions();
  const ranges = listed.map(({ fromPosition, throughPosition, summary }) => [fromPosition, throughPosition, summary]);
  expect(ranges).toEqual([
    [9, 12, "Summary 3."],
    [1, 8, "Summary 4."],
    [5, 8, "Summary 2."],
    [1, 4, "Summary 1."],
  ]);
  expect(given(summarized[3])).toBe([1, 2, 3, 4].flatMap((at) => [`user: message ${at}`, "assistant: ok"]).join("\n"));
  expect(opening()).toContain("\n[part 1 of 2] Summary 4.\n[part 2 of 2] Summary 3.");
  const undone = await agent.undoCompaction();
  expect(undone.compactions.map(({ summary }) => summary)).toEqual(["Summary 4.", "Summary 3."]);
  expect(undone.messages.map(({ text }) => text)).toEqual(["message 5", "ok", "message 6", "ok"]);
  await drain(agent.send("and now?"));
});

test("truncate calls no model and leaves no summary, and the state says that the beginning is out of view", async () => {
  const { agent, summarized, opening } = await scene({ compaction: "truncate" }, numbered);
  await sayAll(agent, 4);
  expect(await agent.compact()).toMatchObject({ strategy: "truncate", messages: 6, summary: "" });
  await drain(agent.send("more"));
  expect(opening()).toBe("message 4\nok");
  expect(factsOf(agent.context())).toMatch(
    /^Out of view: 6 messages .*, among them the beginning of this conversation;/mu,
  );
  expect(summarized).toEqual([]);
  expect(await agent.compactions()).toMatchObject([{ model: null, dollars: 0, summary: "" }]);
});

test("the row has the usage and cost of the summary; an unknown price is null", async () => {
  const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 200 };
  const priced = await scene({}, () => ({ text: "Summary.", usage }));
  await sayAll(priced.agent, 4);
  await priced.agent.compact({ focus: "  the boiler  " });
  // (1,000 - 200) at 1, 200 at 0.5 and 100 at 10 dollars per million.
  expect(await priced.agent.compactions()).toMatchObject([
    { usage, dollars: 0.0019, focus: "the boiler", model: "cheap" },
  ]);
  const unpriced = await scene({}, () => ({ text: "Summary.", usage }), { prices: {} });
  await sayAll(unpriced.agent, 4);
  await unpriced.agent.compact();
  expect(await unpriced.agent.compactions()).toMatchObject([{ usage, dollars: null, focus: null }]);
});

test("an edit whose arguments needed a repair is listed for the summarizer, and does not prevent the summary", async () => {
  const replaced = `{"name": "human", "old_content": "Flat 3B", "new_content": "Flat 4C",}`;
  const calls = [
    { name: "core_memory_append", arguments: { name: "human", content: "Flat 3B" } },
    { name: "core_memory_replace", arguments: replaced },
  ];
  const replies: ScriptedReplies = (_request, at) => (at === 0 ? { toolCalls: calls } : { text: "ok" });
  const { agent, summarized } = await scene({}, numbered, { replies });
  await sayAll(agent, 4);
  expect(agent.memory.read("human")).toBe("Flat 4C");
  expect(await agent.compact()).toMatchObject({ summary: "Summary 1." });
  expect(given(summarized[0])).toContain(
    'Replaced in core memory, where only the new text holds: "Flat 3B" by "Flat 4C"',
  );
});

test("a focus is passed to the summarizer as typed, and one that is too long is refused", async () => {
  const { agent, summarized } = await scene({}, numbered);
  await sayAll(agent, 4);
  await expect(agent.compact({ focus: "x".repeat(1001) })).rejects.toThrow(/at most 1000 characters .* got 1001/u);
  expect(await agent.compactions()).toEqual([]);
  await agent.compact({ focus: "the $& </human> 👍 名前" });
  expect(summarized[0]?.system.instructions).toContain("the $& </human> 👍 名前");
});

test.each([
  ["fails", { error: new ModelUnavailableError("down", { provider: "scripted" }) }, /down/u],
  ["answers with nothing", { text: "  \n" }, /an empty answer\)/u],
  ["only thinks", { thought: "They", stopReason: "length" as const }, /an empty answer, which ended at its maximum/u],
  ["refuses", { text: "I'm sorry, but I can't", stopReason: "refusal" as const }, /the model refused/u],
])("a summarizer that %s fails the summary and not the turn, and the row records it", async (_name, reply, reason) => {
  const { agent, opening } = await scene({ compactMessages: 6 }, (_request, index) =>
    index === 0 ? { text: "Good." } : reply,
  );
  await sayAll(agent, 5);
  const events = await drain(agent.send("message 6"));
  const warning = events.find((event) => event.type === "warning");
  expect(warning).toMatchObject({ code: "summary-failed", message: expect.stringMatching(reason) });
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "ok" });
  const [newest] = await agent.compactions();
  expect(newest).toMatchObject({ model: null, throughPosition: expect.any(Number) });
  expect(opening()).toMatch(/\nGood\.\n\(The messages after that could not be summarized: conversation_search finds/u);
  // The note is not added again when the next summary fails.
  await sayAll(agent, 5);
  const [later] = await agent.compactions();
  expect(later).toMatchObject({ model: null, summary: newest!.summary });
  expect(later!.id).not.toBe(newest!.id);
});

test("a summary that the provider cut at the limit of the reply is kept, with a warning", async () => {
  const { agent } = await scene({}, () => ({ text: "They said", stopReason: "length" }));
  await sayAll(agent, 4);
  const { summary, warnings } = await agent.compact();
  const warning = /reached the maximum of tokens of an answer, .*: its end was cut off/u;
  expect([summary, warnings]).toEqual(["They said", [expect.stringMatching(warning)]]);
});

test("a summary over its share is cut, with a warning", async () => {
  const { agent } = await scene({}, () => ({ text: "word ".repeat(3000) }));
  await sayAll(agent, 4);
  const { summary, warnings, tokensAfter } = await agent.compact();
  expect(warnings).toEqual([expect.stringMatching(/longer than its share .* its end was cut off/u)]);
  expect(summary.length).toBeGreaterThan(1000);
  expect(tokensAfter).toBeLessThan(600);
});

test("undo returns the messages to the window of every session, and reports them", async () => {
  const { agent, reopen, opening } = await scene({}, numbered);
  await sayAll(agent, 4);
  // A compaction removes the state entries for good.
  const all = agent.messages.map(({ stated: _stated, ...message }) => message);
  await agent.compact();
  const other = await reopen();
  const undone = await agent.undoCompaction();
  expect(undone).toMatchObject({ messages: all.slice(0, 6), compactions: [{ summary: "Summary 1." }] });
  expect(undone.tokensAfter).toBeGreaterThan(undone.tokensBefore);
  expect(agent.messages).toEqual(all);
  // It still has the window from before the undoing, with the same leaf, and finds out by taking its turn.
  expect(other.messages).toHaveLength(2);
  expect(await lastOf(other.send("message 5"))).toMatchObject({ stopReason: "end-turn" });
  expect(other.messages.slice(0, 8)).toEqual(all);
  expect(opening()).toBe("message 1\nok");
  await expect(agent.undoCompaction()).rejects.toMatchObject({ code: "undo_refused" });
});

test("a session continues with the window that another session compacted", async () => {
  const { agent, reopen } = await scene({ compaction: "ring" }, numbered);
  await sayAll(agent, 5);
  const other = await reopen();
  await other.compact();
  expect(agent.messages).toHaveLength(10);
  await expect(agent.compact()).rejects.toMatchObject({ code: "summary_refused" });
  expect(agent.messages).toEqual(other.messages);
  await sayAll(agent, 4);
  await agent.compact();
  const chain = (await agent.compactions()).toReversed();
  expect(chain.map(({ fromPosition }, at) => fromPosition - (chain[at - 1]?.throughPosition ?? 0))).toEqual(
    chain.map(() => 1),
  );
});

test("a single turn is refused, with the number of its messages, and stays", async () => {
  const { agent, summarized } = await scene({}, numbered);
  await drain(agent.send({ messages: [{ text: "one" }, { text: "two" }, { text: "three" }] }));
  await expect(agent.compact()).rejects.toThrow(
    "A compaction keeps the last 2 of the 4 messages in the window (tool results count), and no whole turn is older.",
  );
  expect(agent.messages).toHaveLength(4);
  expect(summarized).toEqual([]);
});

test("an interrupted compaction changes nothing", async () => {
  const { agent } = await scene({}, () => ({ text: "late", delayMs: 60_000 }));
  await sayAll(agent, 4);
  const stop = new AbortController();
  const compacting = agent.compact({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(compacting).rejects.toThrow(/enough|abort/iu);
  expect(agent.messages).toHaveLength(8);
  expect(await agent.compactions()).toEqual([]);
});

test("the window is cleared without a summary, whatever the strategy, and the messages come back", async () => {
  for (const compaction of ["recursive", "ring"] as const) {
    const { agent, summarized, reopen } = await scene({ compaction }, numbered);
    expect(await agent.clearWindow()).toBeNull();
    await sayAll(agent, 4);
    await agent.compact();
    const calls = summarized.length;
    const before = agent.messages.map(({ id }) => id);
    const cleared = await agent.clearWindow();
    expect(cleared).toMatchObject({ strategy: "truncate", messages: before.length, summary: "" });
    expect([agent.messages, summarized.length]).toEqual([[], calls]);
    expect((await reopen()).messages).toEqual([]);
    const request = agent.context();
    expect(JSON.stringify(request.messages)).not.toContain("Summary 1");
    await agent.undoCompaction();
    expect(agent.messages.map(({ id }) => id)).toEqual(before);
  }
});

const appended = { name: "core_memory_append", arguments: { name: "human", content: "Flat 3B" } };
const sent = { name: "send_message", arguments: { message: "ok" } };

test.each<[ends: string, protocol: "heartbeat" | "native", reply: ScriptedReply]>([
  ["a message tool's result", "heartbeat", { toolCalls: [sent] }],
  ["the result of an edit beside a text", "native", { text: "Noted.", toolCalls: [appended] }],
])(
  "a cleared window of a conversation that ends with %s is empty when it is opened again",
  async (_, protocol, reply) => {
    const { agent, reopen } = await scene({}, numbered, { replies: () => reply, protocol });
    await sayAll(agent, 2);
    const before = agent.messages.map(({ id }) => id);
    expect(agent.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(await agent.clearWindow()).toMatchObject({ messages: before.length });
    const reopened = await reopen();
    expect(reopened.messages).toEqual([]);
    expect(await lastOf(reopened.send("and now?"))).toMatchObject({ stopReason: "end-turn" });
    await reopened.undoCompaction();
    expect(reopened.messages.map(({ id }) => id).slice(0, before.length)).toEqual(before);
  },
);

test("a message without a reply stays in a cleared and in a compacted window, and is answered", async () => {
  for (const clear of [(agent: Agent) => agent.clearWindow(), (agent: Agent) => agent.compact()]) {
    const replies: ScriptedReplies = (_, at) =>
      at === 2 ? { error: new ModelUnavailableError("down", { provider: "scripted" }) } : { text: "ok" };
    const { agent, reopen } = await scene({ keepLast: 0 }, numbered, { replies });
    await sayAll(agent, 2);
    expect(await lastOf(agent.send("unanswered"))).toMatchObject({ stopReason: "model-error" });
    expect(await clear(agent)).toMatchObject({ messages: 4 });
    const reopened = await reopen();
    for (const one of [agent, reopened]) expect(one.messages.map(({ text }) => text)).toEqual(["unanswered"]);
    expect(await lastOf(reopened.resume())).toMatchObject({ stopReason: "end-turn", text: "ok" });
  }
});
