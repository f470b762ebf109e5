// What retention drops and what it never touches, and that it is counted. On the engine at hand.
import type { RetainedKind, RetentionSettings } from "../../src/store/port/retention-store.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  compactThrough,
  ids,
  newMessage,
  newTalk,
  say,
  type Talk,
} from "../support/store-builders.ts";

const { test: opened, ada: user } = useStore();

const day = 86_400_000;
const now = new Date("2026-11-21T10:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * day);

async function sweep(
  agentId: string,
  limits: RetentionSettings,
  { at = now, kind = "messages" as RetainedKind, batch = 100 } = {},
) {
  const begun = { id: ids.next(), agentId, limits, at };
  await user.retention.begin({ ...begun, unlessAfter: null });
  const { rows, through } = await user.retention.drop({ ...begun, kind, batch });
  const [record] = await user.retention.list(agentId, 1);
  expect(record?.dropped[kind]).toEqual({ rows, through });
  return { rows, through };
}

async function textsOf({ conversationId }: Talk): Promise<readonly string[]> {
  const rows = await opened.ownerRows<{ text: string }>(
    `select text from messages where conversation_id = '${conversationId}' order by position, id`,
  );
  return rows.map(({ text }) => text);
}

describe("messages", () => {
  test("by age: older messages are deleted; those at the limit and those in the window stay", async () => {
    const talk = await newTalk(user);
    const [, , cut] = await say(talk, ["one", "two", "three", "four"], { at: daysAgo(40) });
    await compactThrough(talk, cut!.id);
    const before = await user.conversations.thread(talk.conversationId);
    expect(await sweep(talk.agentId, { messages: { days: 30 } })).toEqual({ rows: 2, through: daysAgo(40) });
    expect(await textsOf(talk)).toEqual(["three", "four"]);
    expect(await user.conversations.thread(talk.conversationId)).toEqual(before);
  });

  test("leave no reference: in memory, steps, inputs, compactions or later messages", async () => {
    const talk = await newTalk(user);
    const begun = newMessage({ at: daysAgo(41) });
    await user.turns.begin(beginning(talk, { leafId: null, messages: [begun], key: "retained" }));
    await compactThrough(talk, begun.id);
    const result = await callTool(talk);
    await user.turns.commitToolResult({
      ...result,
      changes: [{ label: "human", scope: "user", revision: 0, before: "", after: "Ada" }],
      passages: [{ id: ids.next(), text: "Ada sails", tags: [], kind: "memory", at: new Date() }],
    });
    const [, cut] = await say(talk, ["three", "four"]);
    await compactThrough(talk, cut!.id);
    await opened.ownerRows(
      `update messages set created_at = '${daysAgo(40).toISOString()}' where conversation_id = '${talk.conversationId}'`,
    );
    const inspected = await createStoreInspector({ connection: opened.connection }).open();
    try {
      expect(await sweep(talk.agentId, { messages: { days: 30 } })).toMatchObject({ rows: 4 });
      expect(await inspected.orphans()).toEqual([]);
    } finally {
      await inspected.close();
    }
    expect(await user.modules.revisions(talk.agentId, { limit: 5 })).toMatchObject([{ after: "Ada", messageId: null }]);
    expect((await user.conversations.thread(talk.conversationId)).compactions.at(-1)).toMatchObject({
      throughId: cut!.id,
    });
  });

  test("without a compaction the whole thread is in the window, and stays", async () => {
    const talk = await newTalk(user);
    await say(talk, ["one", "two"], { at: daysAgo(400) });
    expect(await sweep(talk.agentId, { messages: { days: 30, megabytes: 0.000001 } })).toMatchObject({ rows: 0 });
    expect(await textsOf(talk)).toEqual(["one", "two"]);
  });

  test("a younger message stays, to the millisecond", async () => {
    const talk = await newTalk(user);
    const [, old] = await say(talk, ["old", "just in time", "cut", "answered"], { at: daysAgo(30) });
    await opened.ownerRows(
      `update messages set created_at = created_at - interval '1 ms' where id = '${old!.parentId}'`,
    );
    await compactThrough(talk, (await user.conversations.find(talk.conversationId))!.leafId!);
    expect(await sweep(talk.agentId, { messages: { days: 30 } })).toMatchObject({ rows: 1 });
    expect(await textsOf(talk)).toEqual(["just in time", "cut", "answered"]);
  });

  test("popped messages are deleted by age, even without a compaction, with their tool calls", async () => {
    const talk = await newTalk(user);
    const [kept] = await say(talk, ["kept"], { at: daysAgo(40) });
    const { callMessageId } = await callTool(talk);
    await opened.ownerRows(
      `update messages set created_at = '${daysAgo(40).toISOString()}' where id = '${callMessageId}'`,
    );
    await user.conversations.moveLeaf(talk.lease, { from: callMessageId, to: kept!.id });
    expect(await sweep(talk.agentId, { messages: { days: 30 } })).toMatchObject({ rows: 1 });
    expect(await textsOf(talk)).toEqual(["kept"]);
    expect(await opened.ownerRows(`select 1 from tool_calls where message_id = '${callMessageId}'`)).toEqual([]);
  });

  test("by size: the oldest are deleted until the rest fits", async () => {
    const talk = await newTalk(user);
    // Each has its text twice, in its content and beside it.
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(10_000));
    await say(talk, texts);
    await compactThrough(talk, (await user.conversations.find(talk.conversationId))!.leafId!);
    expect(await sweep(talk.agentId, { messages: { megabytes: 0.05 } })).toMatchObject({ rows: 2 });
    expect(await textsOf(talk)).toEqual(texts.slice(2));
    expect(await sweep(talk.agentId, { messages: { megabytes: 0.05 } })).toMatchObject({ rows: 0 });
  });

  test("in batches, each counted in the same sweep", async () => {
    const talk = await newTalk(user);
    await say(talk, ["1", "2", "3", "4"], { at: daysAgo(40) });
    await compactThrough(talk, (await user.conversations.find(talk.conversationId))!.leafId!);
    const part = { id: ids.next(), agentId: talk.agentId, limits: { messages: { days: 30 } }, at: now };
    await user.retention.begin({ ...part, unlessAfter: null });
    const dropBatch = async () => (await user.retention.drop({ ...part, kind: "messages", batch: 2 })).rows;
    expect([await dropBatch(), await dropBatch(), await dropBatch()]).toEqual([2, 1, 0]);
    expect((await user.retention.list(talk.agentId, 1))[0]?.dropped.messages.rows).toBe(3);
  });

  test("of another agent stay", async () => {
    const [one, other] = [await newTalk(user), await newTalk(user)];
    for (const talk of [one, other]) {
      const [, cut] = await say(talk, ["old", "cut"], { at: daysAgo(40) });
      await compactThrough(talk, cut!.id);
    }
    await sweep(one.agentId, { messages: { days: 30 } });
    expect(await textsOf(other)).toEqual(["old", "cut"]);
  });
});

describe("revisions", () => {
  const values = ["a", "ab", "abc", "abcd"];

  async function edited(): Promise<Talk> {
    const talk = await newTalk(user);
    for (const [revision, after] of values.entries()) {
      const change = { label: "human", scope: "user", revision, before: values[revision - 1] ?? "", after } as const;
      await user.modules.change(talk.agentId, [change], { origin: "user" });
    }
    return talk;
  }

  /** What is left, oldest first. */
  const historyOf = async ({ agentId }: Talk) => (await user.modules.revisions(agentId, { limit: 100 })).toReversed();

  test("above the number per module are deleted, oldest first, and memory can still be computed from the rest", async () => {
    const talk = await edited();
    expect(await sweep(talk.agentId, { revisions: { perModule: 2 } }, { kind: "revisions" })).toMatchObject({
      rows: 2,
    });
    const history = await historyOf(talk);
    expect(history.map(({ revision, before, after }) => [revision, before, after])).toEqual([
      [3, "ab", "abc"],
      [4, "abc", "abcd"],
    ]);
    const module = (await user.modules.list(talk.agentId)).find(({ label }) => label === "human");
    expect(module).toMatchObject({ revision: 4, value: history.at(-1)?.after });
  });

  test("by age keep the newest, which has the module's number", async () => {
    const talk = await edited();
    const at = new Date(Date.now() + 400 * day);
    expect(await sweep(talk.agentId, { revisions: { days: 30 } }, { kind: "revisions", at })).toMatchObject({
      rows: 3,
    });
    expect((await historyOf(talk)).map(({ revision }) => revision)).toEqual([4]);
  });

  test("that are young and few enough stay", async () => {
    const talk = await edited();
    const limits = { revisions: { days: 30, perModule: 4 } };
    expect(await sweep(talk.agentId, limits, { kind: "revisions", at: new Date() })).toMatchObject({ rows: 0 });
    expect(await historyOf(talk)).toHaveLength(4);
  });
});

test("steps are deleted by age", async () => {
  const talk = await newTalk(user);
  await callTool(talk);
  const at = new Date(Date.now() + 31 * day);
  expect(await sweep(talk.agentId, { steps: { days: 32 } }, { kind: "steps", at })).toMatchObject({ rows: 0 });
  expect(await sweep(talk.agentId, { steps: { days: 30 } }, { kind: "steps", at })).toMatchObject({ rows: 1 });
});

test("without limits nothing is deleted", async () => {
  const talk = await newTalk(user);
  const [, cut] = await say(talk, ["old", "cut"], { at: daysAgo(4000) });
  await compactThrough(talk, cut!.id);
  for (const kind of ["messages", "revisions", "steps"] as const) {
    expect(await sweep(talk.agentId, {}, { kind })).toMatchObject({ rows: 0 });
    expect(await sweep(talk.agentId, { [kind]: {} }, { kind })).toMatchObject({ rows: 0 });
  }
});

test("a sweep does not begin if another began after the given time", async () => {
  const { agentId } = await newTalk(user);
  const begin = (at: Date, unlessAfter: Date | null) =>
    user.retention.begin({ id: ids.next(), agentId, limits: {}, at, unlessAfter });
  expect(await begin(now, daysAgo(1))).toBe(true);
  expect(await begin(now, daysAgo(1))).toBe(false);
  expect(await begin(new Date(now.getTime() + day), now)).toBe(true);
  expect(await begin(now, null)).toBe(true);
});

test("a sweep begins after one that applied only the limit of passages", async () => {
  const { agentId } = await newTalk(user);
  const begin = (limits: RetentionSettings) =>
    user.retention.begin({ id: ids.next(), agentId, limits, at: now, unlessAfter: daysAgo(1) });
  expect(await begin({ passages: { rows: 1 } })).toBe(true);
  expect(await begin({ passages: { rows: 1 }, steps: { days: 1 } })).toBe(true);
  expect(await begin({ passages: { rows: 1 } })).toBe(false);
});

test("nothing is deleted without a sweep that counts it", async () => {
  const talk = await newTalk(user);
  const [, cut] = await say(talk, ["old", "cut"], { at: daysAgo(40) });
  await compactThrough(talk, cut!.id);
  const part = { id: ids.next(), agentId: talk.agentId, limits: { messages: { days: 30 } }, at: now };
  expect(await user.retention.drop({ ...part, kind: "messages", batch: 10 })).toEqual({ rows: 0, through: null });
  expect(await textsOf(talk)).toEqual(["old", "cut"]);
});

describe("passages", () => {
  async function fill(contents: Readonly<Record<string, number>>): Promise<string> {
    const { agentId } = await newTalk(user);
    const passages = Object.entries(contents).map(([text, importance]) => ({
      id: ids.next(),
      text,
      tags: [],
      kind: "memory" as const,
      importance,
      at: new Date(),
    }));
    await user.passages.add(agentId, passages, "user");
    return agentId;
  }

  const contentsOf = async (agentId: string) =>
    (await user.passages.list(agentId, { order: "newest", limit: 50 })).map(({ text }) => text).sort();

  test("by number: the least important are deleted, whatever their age", async () => {
    const agentId = await fill({ a: 0.9, b: 0.1, c: 0.5, d: 0.2 });
    expect(await user.retention.isOver(agentId, { rows: 2 })).toBe(true);
    expect(await sweep(agentId, { passages: { rows: 2 } }, { kind: "passages" })).toMatchObject({ rows: 2 });
    expect(await contentsOf(agentId)).toEqual(["a", "c"]);
    expect(await user.retention.isOver(agentId, { rows: 2 })).toBe(false);
    expect(await sweep(agentId, { passages: { rows: 2 } }, { kind: "passages" })).toMatchObject({ rows: 0 });
  });

  test("by size: the excess is deleted, the least important first, in batches", async () => {
    const agentId = await fill({ aaaa: 0.9, bbbb: 0.1, cccc: 0.5, dddd: 0.2 });
    const limits = { passages: { megabytes: 9e-6 } };
    expect(await user.retention.isOver(agentId, limits.passages)).toBe(true);
    expect(await sweep(agentId, limits, { kind: "passages", batch: 1 })).toMatchObject({ rows: 1 });
    expect(await contentsOf(agentId)).toEqual(["aaaa", "cccc", "dddd"]);
    expect(await sweep(agentId, limits, { kind: "passages" })).toMatchObject({ rows: 1 });
    expect(await contentsOf(agentId)).toEqual(["aaaa", "cccc"]);
    expect(await user.retention.isOver(agentId, limits.passages)).toBe(false);
  });

  test("passages that searches have shown are kept longer than others", async () => {
    const agentId = await fill({ shown: 0.5, hidden: 0.5 });
    const shown = (await user.passages.list(agentId, { order: "newest", limit: 5 })).find(
      ({ text }) => text === "shown",
    );
    await user.passages.countAccesses([shown!.id, "nothing", ids.next()], new Date());
    await sweep(agentId, { passages: { rows: 1 } }, { kind: "passages" });
    expect(await contentsOf(agentId)).toEqual(["shown"]);
  });

  test("what is replaced is deleted first, whatever its importance, so that nothing outdated is current again", async () => {
    const agentId = await fill({ outdated: 1 });
    const [outdated] = await user.passages.list(agentId, { order: "newest", limit: 5 });
    const correction = { id: ids.next(), text: "correction", tags: [], kind: "memory" as const, importance: 0 };
    await user.passages.replace(
      agentId,
      { ...correction, at: new Date(), replaces: [outdated!.id] },
      { origin: "user", forgettings: 0 },
    );
    await sweep(agentId, { passages: { rows: 1 } }, { kind: "passages" });
    expect(await contentsOf(agentId)).toEqual(["correction"]);
  });

  test("of another agent, of a source and of another user stay", async () => {
    const agentId = await fill({ a: 0.1, b: 0.2 });
    const other = await fill({ a: 0.1 });
    await opened.ownerRows("insert into sources (user_id, id, name) values ('ada', $1::uuid, 'papers')", [agentId]);
    await opened.ownerRows(
      `insert into passages (user_id, id, source_id, kind, tags, origin, content, search_text, content_hash)
       values ('ada', $1::uuid, $1::uuid, 'document', '{}', 'import', 'x', 'x', 'x')`,
      [agentId],
    );
    await sweep(agentId, { passages: { rows: 1 } }, { kind: "passages" });
    expect(await contentsOf(agentId)).toEqual(["b"]);
    expect(await contentsOf(other)).toEqual(["a"]);
    expect(await opened.ownerRows("select from passages where source_id = $1::uuid", [agentId])).toHaveLength(1);
  });
});
