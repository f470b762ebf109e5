// Pages of a conversation's thread in both directions, and titles. On the engine at hand.
import type { MessagePage } from "../../src/store/port/conversation-store.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import { callTool, chain, keepFile, newTalk, say, type Talk } from "../support/store-builders.ts";

const { test, ada } = useStore();

const unknownId = "00000000-0000-7000-8000-000000000000";
const texts = ({ messages }: MessagePage) => messages.map(({ text }) => text);

const before = (talk: Talk, cursor: string | null, limit: number): Promise<MessagePage> =>
  ada.conversations.page(talk.conversationId, { cursor, direction: "before", limit });

const after = (talk: Talk, cursor: string | null, limit: number): Promise<MessagePage> =>
  ada.conversations.page(talk.conversationId, { cursor, direction: "after", limit });

async function leaveFor(talk: Talk, to: StoredMessage): Promise<void> {
  const found = await ada.conversations.find(talk.conversationId);
  await ada.conversations.moveLeaf(talk.lease, { from: found!.leafId, to: to.id });
}

describe("pages", () => {
  it("lead from the end to the beginning and back, each message once", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three", "four", "five"]);
    const newest = await before(talk, null, 2);
    expect([texts(newest), newest.hasOlder, newest.hasNewer]).toEqual([["four", "five"], true, false]);
    const middle = await before(talk, newest.messages[0]!.id, 2);
    expect([texts(middle), middle.hasOlder, middle.hasNewer]).toEqual([["two", "three"], true, true]);
    const oldest = await before(talk, middle.messages[0]!.id, 2);
    expect([texts(oldest), oldest.hasOlder, oldest.hasNewer]).toEqual([["one"], false, true]);
    const next = await after(talk, oldest.messages[0]!.id, 2);
    expect([texts(next), next.hasOlder, next.hasNewer]).toEqual([["two", "three"], true, true]);
    const last = await after(talk, next.messages[1]!.id, 2);
    expect([texts(last), last.hasOlder, last.hasNewer]).toEqual([["four", "five"], true, false]);
    expect(await after(talk, said[4]!.id, 2)).toEqual({ messages: [], hasOlder: true, hasNewer: false });
    expect(await before(talk, said[0]!.id, 2)).toEqual({ messages: [], hasOlder: false, hasNewer: true });
    const first = await after(talk, null, 3);
    expect([texts(first), first.hasOlder, first.hasNewer]).toEqual([["one", "two", "three"], false, true]);
  });

  it("of an empty conversation are empty", async () => {
    const talk = await newTalk(ada);
    expect(await before(talk, null, 5)).toEqual({ messages: [], hasOlder: false, hasNewer: false });
  });

  it("have the results of a call in its message, and do not count them", async () => {
    const talk = await newTalk(ada);
    await say(talk, ["question"]);
    await ada.turns.commitToolResult(await callTool(talk));
    await callTool(talk, { callId: "call-2" });
    const all = await before(talk, null, 10);
    expect(all.messages.map(({ calls }) => calls.map(({ status, result }) => [status, result?.text]))).toEqual([
      [],
      [["ok", "done"]],
      [["pending", undefined]],
    ]);
    const [only] = (await before(talk, all.messages[2]!.id, 1)).messages;
    expect(only!.calls[0]).toEqual({
      callId: "call-1",
      name: "core_memory_append",
      arguments: "{}",
      status: "ok",
      request: null,
      result: { text: "done", files: [] },
    });
    const [same] = (await after(talk, all.messages[0]!.id, 1)).messages;
    expect(same).toEqual(only);
  });

  it("have the changes of core memory that a message's calls made", async () => {
    const talk = await newTalk(ada);
    await say(talk, ["question"]);
    const change = { label: "human", scope: "user", revision: 0, before: "", after: "Sails" } as const;
    await ada.turns.commitToolResult(await callTool(talk, { changes: [change] }));
    const { messages } = await before(talk, null, 10);
    expect(messages.map(({ edits }) => edits.map(({ label, after: text }) => [label, text]))).toEqual([
      [],
      [["human", "Sails"]],
    ]);
  });

  it("have the files of a message", async () => {
    const talk = await newTalk(ada);
    const { file } = await keepFile(talk, "notes");
    const [message] = chain(null, [{ text: "look", content: [{ type: "text", text: "look" }, file] }]);
    await ada.turns.append(talk.lease, [message!]);
    expect((await before(talk, null, 1)).messages[0]!.content).toContainEqual(file);
  });

  it("follow the thread after messages were left on a branch, and refuse a cursor there", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three", "four"]);
    await leaveFor(talk, said[1]!);
    await say(talk, ["three again"]);
    expect(texts(await before(talk, null, 10))).toEqual(["one", "two", "three again"]);
    expect(texts(await after(talk, said[1]!.id, 10))).toEqual(["three again"]);
    for (const page of [before, after]) {
      await expect(page(talk, said[3]!.id, 10)).rejects.toMatchObject({ code: "message_not_found" });
    }
  });

  it("refuse unknown conversations and cursors, and those of another user or conversation", async () => {
    const talk = await newTalk(ada);
    const other = await newTalk(ada);
    const [foreign] = await say(other, ["elsewhere"]);
    for (const cursor of [unknownId, "no id", foreign!.id]) {
      await expect(before(talk, cursor, 5)).rejects.toMatchObject({ code: "message_not_found" });
      await expect(after(talk, cursor, 5)).rejects.toMatchObject({ code: "message_not_found" });
    }
    const request = { cursor: null, direction: "before", limit: 5 } as const;
    for (const id of [unknownId, "no id"]) {
      await expect(ada.conversations.page(id, request)).rejects.toMatchObject({ code: "conversation_not_found" });
    }
    await expect(test.store.as("grace").conversations.page(talk.conversationId, request)).rejects.toMatchObject({
      code: "conversation_not_found",
    });
  });
});

describe("a title", () => {
  it("is stored, listed, replaced and removed, and does not count as use of the conversation", async () => {
    const talk = await newTalk(ada);
    const { updatedAt } = (await ada.conversations.find(talk.conversationId))!;
    expect(await ada.conversations.rename(talk.conversationId, "Boats 👩‍👩‍👧‍👦")).toMatchObject({
      title: "Boats 👩‍👩‍👧‍👦",
      updatedAt,
    });
    expect(
      (await ada.conversations.list(talk.agentId, { order: "newest", limit: 5 })).map(({ title }) => title),
    ).toEqual(["Boats 👩‍👩‍👧‍👦"]);
    await ada.conversations.rename(talk.conversationId, null);
    expect(await ada.conversations.find(talk.conversationId)).toMatchObject({ title: null });
  });

  it("of another user's or an unknown conversation is refused", async () => {
    const talk = await newTalk(ada);
    const refusal = { code: "conversation_not_found" };
    await expect(test.store.as("grace").conversations.rename(talk.conversationId, "Mine")).rejects.toMatchObject(
      refusal,
    );
    await expect(ada.conversations.rename(unknownId, "Mine")).rejects.toMatchObject(refusal);
    expect(await ada.conversations.find(talk.conversationId)).toMatchObject({ title: null });
  });

  it("cannot be changed after the agent is no longer shared", async () => {
    const grace = test.store.as("grace");
    const talk = await newTalk(ada);
    await ada.agents.share(talk.agentId, "grace");
    await grace.agents.accept(talk.agentId);
    const shared = await newTalk(grace, talk.agentId);
    await grace.conversations.rename(shared.conversationId, "Before");
    await ada.agents.unshare(talk.agentId, "grace");
    await expect(grace.conversations.rename(shared.conversationId, "After")).rejects.toMatchObject({
      code: "grant_ended",
    });
    expect(await grace.conversations.find(shared.conversationId)).toMatchObject({ title: "Before" });
  });
});
