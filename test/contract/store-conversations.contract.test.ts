// Conversations: where they stand, what their thread is, what a compaction leaves of it, and imports of more messages than are stored
// at once. On the engine at hand.
import type { StoredMessage } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import { callTool, ids, newTalk, say, type Talk, chain, newAgent } from "../support/store-builders.ts";
import { nextMillisecond } from "../support/until.ts";

const { ada } = useStore();

const unknownId = "00000000-0000-7000-8000-000000000000";

const textsOf = async ({ user, conversationId }: Talk): Promise<readonly string[]> =>
  (await user.conversations.thread(conversationId)).messages.map((message) => message.text);

const foundBy = ({ user, agentId }: Talk): Promise<readonly string[]> =>
  user.recall.search({ agentId, page: 0, pageSize: 50 }).then((page) => page.rows.map((row) => row.text));

describe("conversations", () => {
  it("start empty", async () => {
    const talk = await newTalk(ada);
    const found = await ada.conversations.find(talk.conversationId);
    expect(found).toMatchObject({ id: talk.conversationId, agentId: talk.agentId, title: null, leafId: null });
    expect(found!.createdAt).toBeInstanceOf(Date);
    expect(await ada.conversations.thread(talk.conversationId)).toEqual({
      messages: [],
      compactions: [],
      snapshot: null,
      windowVersion: 0,
    });
  });

  it.each([[unknownId], ["no id at all"], [""], ["'"]])("are not found by %j", async (id) => {
    expect(await ada.conversations.find(id)).toBeNull();
    await expect(ada.conversations.thread(id)).rejects.toMatchObject({ code: "conversation_not_found" });
    await expect(
      ada.conversations.moveLeaf({ conversationId: id, fence: 1 }, { from: null, to: null }),
    ).rejects.toMatchObject({ code: "conversation_not_found" });
  });

  it("need an agent that exists", async () => {
    for (const agentId of [unknownId, "nothing"]) {
      await expect(ada.conversations.create({ id: ids.next(), agentId })).rejects.toMatchObject({
        code: "agent_not_found",
      });
    }
  });

  it("are listed most recently used first, with their first message", async () => {
    const first = await newTalk(ada);
    const second = await newTalk(ada, first.agentId);
    await say(first, ["login"], { kind: "event" });
    await say(first, [`My name is Ada. ${"x".repeat(300)}`, "Hello Ada"]);
    await say(second, ["Second"]);
    await nextMillisecond();
    await say(first, ["again"]);
    const listed = await ada.conversations.list(first.agentId, { order: "newest", limit: 5 });
    expect(listed.map(({ id, messages }) => [id, messages])).toEqual([
      [first.conversationId, 4],
      [second.conversationId, 1],
    ]);
    expect(listed[0]!.preview).toMatch(/^My name is Ada\. x{184}$/u);
    expect(await ada.conversations.list(first.agentId, { order: "newest", limit: 1 })).toHaveLength(1);
    expect(await ada.conversations.list("nothing", { order: "newest", limit: 5 })).toEqual([]);
  });
});

describe("moveLeaf", () => {
  it("goes back to an ancestor, and forward again", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three", "four"]);
    await ada.conversations.moveLeaf(talk.lease, { from: said[3]!.id, to: said[1]!.id });
    expect(await textsOf(talk)).toEqual(["one", "two"]);
    expect(await foundBy(talk)).toEqual(["one", "two"]);
    await ada.conversations.moveLeaf(talk.lease, { from: said[1]!.id, to: said[3]!.id });
    expect(await textsOf(talk)).toEqual(["one", "two", "three", "four"]);
    expect(await foundBy(talk)).toEqual(["one", "two", "three", "four"]);
  });

  it("changes between branches", async () => {
    const talk = await newTalk(ada);
    const old = await say(talk, ["one", "two", "three"]);
    await ada.conversations.moveLeaf(talk.lease, { from: old[2]!.id, to: old[0]!.id });
    const branch = await say(talk, ["two again", "three again"]);
    expect(await textsOf(talk)).toEqual(["one", "two again", "three again"]);
    await ada.conversations.moveLeaf(talk.lease, { from: branch[1]!.id, to: old[2]!.id });
    expect(await textsOf(talk)).toEqual(["one", "two", "three"]);
    expect(await foundBy(talk)).toEqual(["one", "two", "three"]);
    await say(talk, ["four"]);
    expect(await textsOf(talk)).toEqual(["one", "two", "three", "four"]);
  });

  it("goes back before the first message", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two"]);
    await ada.conversations.moveLeaf(talk.lease, { from: said[1]!.id, to: null });
    expect(await textsOf(talk)).toEqual([]);
    expect(await foundBy(talk)).toEqual([]);
    expect(await ada.conversations.find(talk.conversationId)).toMatchObject({ leafId: null });
    await say(talk, ["anew"]);
    expect(await textsOf(talk)).toEqual(["anew"]);
  });

  it("refuses if the leaf has moved, and for messages of other conversations", async () => {
    const talk = await newTalk(ada);
    const other = await newTalk(ada);
    const [said] = await say(talk, ["one"]);
    const [elsewhere] = await say(other, ["other"]);
    const move = (from: string | null, to: string | null) => ada.conversations.moveLeaf(talk.lease, { from, to });
    await expect(move(null, said!.id)).rejects.toMatchObject({ code: "agent_busy" });
    await expect(move(said!.id, elsewhere!.id)).rejects.toMatchObject({ code: "message_not_found" });
    await expect(move(said!.id, unknownId)).rejects.toMatchObject({ code: "message_not_found" });
    await expect(move(said!.id, "nothing")).rejects.toMatchObject({ code: "message_not_found" });
    expect(await textsOf(talk)).toEqual(["one"]);
  });
});

describe("moveLeaf with reverted memory edits", () => {
  const append = { label: "human", scope: "user", revision: 0, before: "", after: "one" } as const;
  const back = { label: "human", scope: "user", revision: 1, before: "one", after: "", undoes: 1 } as const;
  const passage = (text: string) => ({ id: ids.next(), text, tags: ["tag"], kind: "memory" as const, at: new Date() });

  /** A conversation whose second message called a tool that edited and archived; the leaf is its result. */
  async function edited() {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["hello"]);
    const result = await callTool(talk, { changes: [append], passages: [passage("kept"), passage("lost")] });
    await ada.turns.commitToolResult(result);
    const move = { from: result.message.id, to: first!.id };
    return { talk, move, callMessageId: result.callMessageId };
  }

  it("returns the revisions of a message's calls, with later ones of the same modules", async () => {
    const { talk, callMessageId } = await edited();
    await ada.modules.change(talk.agentId, [{ ...append, revision: 1, before: "one", after: "two" }], {
      origin: "api",
    });
    await ada.modules.change(talk.agentId, [{ ...append, label: "persona", before: "I am Scout." }], { origin: "api" });
    // More ids than a statement can have parameters.
    const others = Array.from({ length: 70_000 }, () => ids.next());
    const made = await ada.modules.madeBy(talk.agentId, [callMessageId, "nothing", ...others]);
    expect(made.map(({ label, revision }) => [label, revision])).toEqual([
      ["human", 2],
      ["human", 1],
    ]);
    expect(await ada.modules.madeBy(talk.agentId, [ids.next()])).toEqual([]);
    expect(await ada.modules.madeBy(talk.agentId, [])).toEqual([]);
  });

  it("applies the changes in order and deletes the passages of the abandoned calls", async () => {
    const { talk, move } = await edited();
    await ada.passages.add(talk.agentId, [passage("kept")], "user");
    const more = { ...append, revision: 2, before: "", after: "anew" };
    const moved = await ada.conversations.moveLeaf(talk.lease, { ...move, changes: [back, more], passages: "delete" });
    expect(moved.deletedPassages).toMatchObject([
      { text: "lost", tags: ["tag"], origin: "model", at: expect.any(Date) },
    ]);
    expect(await ada.passages.list(talk.agentId, { order: "newest", limit: 5 })).toMatchObject([{ text: "kept" }]);
    expect((await ada.modules.list(talk.agentId))[1]).toMatchObject({ value: "anew", revision: 3 });
  });

  it("keeps passages by default", async () => {
    const { talk, move } = await edited();
    expect(await ada.conversations.moveLeaf(talk.lease, move)).toEqual({ deletedPassages: [] });
    expect(await ada.passages.count(talk.agentId)).toBe(2);
  });

  it("moves nothing if a module has changed", async () => {
    const { talk, move } = await edited();
    await ada.modules.change(talk.agentId, [{ ...append, revision: 1, before: "one", after: "two" }], {
      origin: "api",
    });
    const stale = ada.conversations.moveLeaf(talk.lease, { ...move, changes: [back], passages: "delete" });
    await expect(stale).rejects.toMatchObject({ code: "revision_conflict" });
    expect(await ada.conversations.find(talk.conversationId)).toMatchObject({ leafId: move.from });
    expect(await ada.passages.count(talk.agentId)).toBe(2);
    expect((await ada.modules.list(talk.agentId))[1]).toMatchObject({ value: "two", revision: 2 });
  });

  it("changes nothing if the leaf has moved", async () => {
    const { talk, move } = await edited();
    const lost = ada.conversations.moveLeaf(talk.lease, {
      from: move.to,
      to: null,
      changes: [back],
      passages: "delete",
    });
    await expect(lost).rejects.toMatchObject({ code: "agent_busy" });
    expect((await ada.modules.list(talk.agentId))[1]).toMatchObject({ value: "one", revision: 1 });
    expect(await ada.passages.count(talk.agentId)).toBe(2);
  });
});

let agentId: string;

beforeAll(async () => ({ id: agentId } = await ada.agents.create(newAgent())));

const messagesOf = (count: number): StoredMessage[] =>
  chain(
    null,
    Array.from({ length: count }, (_, index) => ({ text: `line ${index}`, at: new Date(1_700_000_000_000 + index) })),
  );

it.each([1, 500, 501, 1201])("a conversation of %i messages is stored in its order", async (count) => {
  const messages = messagesOf(count);
  const id = ids.next();
  const record = await ada.conversations.import({ id, agentId, title: "old", messages });
  const [first, last] = [messages[0]!, messages.at(-1)!];
  expect(record).toEqual({ id, agentId, title: "old", leafId: last.id, createdAt: first.at, updatedAt: last.at });
  expect(await ada.conversations.find(id)).toEqual(record);
  expect((await ada.conversations.thread(id)).messages).toEqual(messages);
  const listed = (await ada.conversations.list(agentId, { order: "newest", limit: 100 })).find(
    (conversation) => conversation.id === id,
  );
  expect(listed?.messages).toBe(count);
});

it.each([
  ["has a gap between two batches", (messages: StoredMessage[]) => messages.toSpliced(500, 1)],
  ["has a message twice", (messages: StoredMessage[]) => [...messages, messages.at(-1)!]],
  ["has no messages", () => []],
])("nothing is stored of a conversation that %s", async (_, broken) => {
  const id = ids.next();
  const messages = broken(messagesOf(1000));
  await expect(ada.conversations.import({ id, agentId, title: null, messages })).rejects.toMatchObject({
    code: "input_invalid",
  });
  expect(await ada.conversations.find(id)).toBeNull();
});
