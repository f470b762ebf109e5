// Compactions: what they leave of a thread, which of them are in the window, and how they are undone. On the engine at hand.
import { useStore } from "../support/database.ts";
import { compactThrough, newCompaction, newTalk, say, takeLease, type Talk } from "../support/store-builders.ts";

const { ada } = useStore();

const unknownId = "00000000-0000-7000-8000-000000000000";

/** The ranges and summaries of the window, and the texts after them. */
async function windowOf({ user, conversationId }: Talk): Promise<readonly string[]> {
  const { compactions, messages } = await user.conversations.thread(conversationId);
  const links = compactions.map(
    ({ fromPosition, throughPosition, summary }) => `${fromPosition}-${throughPosition} ${summary}`,
  );
  return [...links, ...messages.map(({ text }) => text)];
}

const entry = (fromPosition: number, summary: string) => ({ strategy: "ring", fromPosition, summary }) as const;

describe("compactions", () => {
  it("leave later messages in the thread, and all messages in recall", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three", "four"]);
    await compactThrough(talk, said[1]!.id, { summary: "first" });
    const figures = {
      model: "demo",
      dollars: 0.0125,
      focus: "names",
      usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 1 },
    };
    await compactThrough(talk, said[2]!.id, { summary: "second", ...figures });
    const thread = await ada.conversations.thread(talk.conversationId);
    expect(thread.messages).toEqual([said[3]]);
    expect(thread.windowVersion).toBe(2);
    expect(thread.compactions).toEqual([
      {
        id: expect.any(String),
        strategy: "recursive",
        fromPosition: 1,
        throughPosition: 3,
        throughId: said[2]!.id,
        summary: "second",
        threadMessages: 4,
        rangeTokens: 9,
        tokensBefore: 9,
        tokensAfter: 1,
        ...figures,
        trust: "model",
        undoneAt: null,
        at: expect.any(Date),
      },
    ]);
    const found = await ada.recall.search({ agentId: talk.agentId, page: 0, pageSize: 50 });
    expect(found.rows.map((row) => row.text)).toEqual(["one", "two", "three", "four"]);
  });

  it("follow each other in a ring, and a later one over several ranges replaces them", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["1", "2", "3", "4", "5", "6", "7"]);
    await compactThrough(talk, said[1]!.id, entry(1, "a"));
    await compactThrough(talk, said[3]!.id, entry(3, "b"));
    expect(await windowOf(talk)).toEqual(["1-2 a", "3-4 b", "5", "6", "7"]);
    const last = newCompaction({ throughId: said[5]!.id, throughPosition: 6 }, entry(5, "c"));
    const merge = newCompaction({ throughId: said[3]!.id, throughPosition: 4 }, entry(1, "ab"));
    expect(await ada.compactions.add(talk.lease, [last, merge])).toBe(3);
    expect(await windowOf(talk)).toEqual(["1-4 ab", "5-6 c", "7"]);
  });

  it("do not count after the conversation was rewound before them", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three", "four"]);
    await compactThrough(talk, said[0]!.id, { summary: "first" });
    await compactThrough(talk, said[2]!.id, { summary: "second" });
    await ada.conversations.moveLeaf(talk.lease, { from: said[3]!.id, to: said[1]!.id });
    expect(await windowOf(talk)).toEqual(["1-1 first", "two"]);
    await ada.conversations.moveLeaf(talk.lease, { from: said[1]!.id, to: null });
    expect(await windowOf(talk)).toEqual([]);
  });

  it("can cover the whole thread", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two"]);
    await compactThrough(talk, said[1]!.id, { summary: "all" });
    expect(await windowOf(talk)).toEqual(["1-2 all"]);
  });

  it("keep texts unchanged, except characters that the database cannot store", async () => {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["one"]);
    await compactThrough(talk, first!.id, { summary: "a\u0000b \uD800 </human> %_ 你好 👍", focus: "\u0000" });
    const [stored] = await ada.compactions.list(talk.conversationId, 1);
    expect(stored).toMatchObject({ summary: "a\uFFFDb \uFFFD </human> %_ 你好 👍", focus: "\uFFFD" });
  });

  it("refuse a message that is not on the thread or not at that position, and an unknown conversation", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two"]);
    await ada.conversations.moveLeaf(talk.lease, { from: said[1]!.id, to: said[0]!.id });
    const good = newCompaction({ throughId: said[0]!.id, throughPosition: 1 });
    for (const bad of [
      { throughId: said[1]!.id, throughPosition: 2 },
      { throughId: unknownId, throughPosition: 1 },
      { throughId: said[0]!.id, throughPosition: 2 },
      { throughId: said[0]!.id, throughPosition: 1, fromPosition: 2 },
      { throughId: said[0]!.id, throughPosition: 1, fromPosition: 0 },
    ]) {
      await expect(ada.compactions.add(talk.lease, [good, newCompaction(bad, bad)])).rejects.toMatchObject({
        code: "message_not_found",
      });
    }
    expect(await ada.compactions.list(talk.conversationId, 10)).toEqual([]);
    for (const conversationId of [unknownId, "no id"]) {
      const code = { code: "conversation_not_found" };
      await expect(ada.compactions.add({ conversationId, fence: 1 }, [good])).rejects.toMatchObject(code);
      await expect(ada.compactions.undo({ conversationId, fence: 1 })).rejects.toMatchObject(code);
      await expect(ada.compactions.list(conversationId, 1)).rejects.toMatchObject(code);
    }
  });
});

describe("undoing", () => {
  it("restores the messages and the earlier summaries, one compaction at a time", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["1", "2", "3", "4"]);
    await compactThrough(talk, said[0]!.id, { summary: "a" });
    await compactThrough(talk, said[2]!.id, { summary: "b" });
    expect(await ada.compactions.undo(talk.lease)).toMatchObject([{ summary: "b" }]);
    expect(await windowOf(talk)).toEqual(["1-1 a", "2", "3", "4"]);
    expect(await ada.compactions.undo(talk.lease)).toMatchObject([{ summary: "a" }]);
    expect(await windowOf(talk)).toEqual(["1", "2", "3", "4"]);
    await expect(ada.compactions.undo(talk.lease)).rejects.toMatchObject({ code: "undo_refused" });
    const listed = await ada.compactions.list(talk.conversationId, 10);
    expect(listed.map(({ summary, undoneAt }) => [summary, undoneAt !== null])).toEqual([
      ["b", true],
      ["a", true],
    ]);
  });

  it("undoes a merge together with its entry", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["1", "2", "3", "4"]);
    await compactThrough(talk, said[0]!.id, entry(1, "a"));
    await compactThrough(talk, said[1]!.id, entry(2, "b"));
    const last = newCompaction({ throughId: said[2]!.id, throughPosition: 3 }, entry(3, "c"));
    const merge = newCompaction({ throughId: said[1]!.id, throughPosition: 2 }, entry(1, "ab"));
    await ada.compactions.add(talk.lease, [last, merge]);
    expect(await ada.compactions.undo(talk.lease)).toMatchObject([{ summary: "ab" }, { summary: "c" }]);
    expect(await windowOf(talk)).toEqual(["1-1 a", "2-2 b", "3", "4"]);
  });

  it("leaves no later compaction of another branch without its base", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["1", "2", "3", "4"]);
    await compactThrough(talk, said[0]!.id, entry(1, "a"));
    await compactThrough(talk, said[2]!.id, entry(2, "b"));
    await ada.conversations.moveLeaf(talk.lease, { from: said[3]!.id, to: said[1]!.id });
    await ada.compactions.undo(talk.lease);
    await ada.conversations.moveLeaf(talk.lease, { from: said[1]!.id, to: said[3]!.id });
    expect(await windowOf(talk)).toEqual(["1", "2", "3", "4"]);
  });

  it("changes the window version that the next lease holder reads", async () => {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["1", "2"]);
    await compactThrough(talk, first!.id);
    await ada.leases.release(talk.lease);
    const claim = { conversationId: talk.conversationId, claimant: "c", ttlMs: 1000 };
    const taken = await ada.leases.take(claim);
    expect(taken).toMatchObject({ type: "taken", windowVersion: 1 });
    if (taken.type === "taken") await ada.compactions.undo(taken.lease);
    expect((await ada.conversations.thread(talk.conversationId)).windowVersion).toBe(2);
  });

  it("is refused if retention has deleted messages that would return", async () => {
    const talk = await newTalk(ada);
    const at = new Date(Date.now() - 40 * 86_400_000);
    const said = await say(talk, ["1", "2", "3", "4"], { at });
    await compactThrough(talk, said[1]!.id, entry(1, "a"));
    await compactThrough(talk, said[2]!.id, entry(3, "b"));
    const sweep = {
      id: newCompaction({ throughId: "", throughPosition: 1 }).id,
      agentId: talk.agentId,
      limits: {},
      at: new Date(),
    };
    await ada.retention.begin({ ...sweep, unlessAfter: null });
    const limits = { messages: { days: 30 } };
    // The messages that the entries end with stay: by them it is known that the entries are on the thread.
    expect(await ada.retention.drop({ ...sweep, limits, kind: "messages", batch: 10 })).toMatchObject({ rows: 1 });
    expect(await windowOf(talk)).toEqual(["1-2 a", "3-3 b", "4"]);
    await ada.compactions.undo(talk.lease);
    await expect(ada.compactions.undo(talk.lease)).rejects.toThrow(/were deleted by retention/);
    expect(await windowOf(talk)).toEqual(["1-2 a", "3", "4"]);
  });

  it("needs the lease", async () => {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["1", "2"]);
    await compactThrough(talk, first!.id);
    await ada.leases.release(talk.lease);
    await takeLease(ada, talk.conversationId);
    await expect(ada.compactions.undo(talk.lease)).rejects.toMatchObject({ code: "lease_lost" });
    expect(await windowOf(talk)).toEqual(["1-1 s", "2"]);
  });
});
