// A conversation's tree: its ends, the way to a message, where one stands, and messages in the place of others. On the engine at hand.
import type { StoredMessage } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  ids,
  newMessage,
  newTalk,
  say,
  takeLease,
  type Talk,
  keepFile,
} from "../support/store-builders.ts";

const { ada } = useStore();

const unknownId = "00000000-0000-7000-8000-000000000000";
const never = { code: "message_not_found" };

async function goTo(talk: Talk, to: StoredMessage | null): Promise<void> {
  const found = await ada.conversations.find(talk.conversationId);
  await ada.conversations.moveLeaf(talk.lease, { from: found!.leafId, to: to?.id ?? null });
}

/** one, two; then three, four on a branch that was left, and three again. */
async function forked() {
  const talk = await newTalk(ada);
  const old = await say(talk, ["one", "two", "three", "four"]);
  await goTo(talk, old[1]!);
  const [again] = await say(talk, ["three again"]);
  return { talk, old, again: again! };
}

describe("branches", () => {
  const branchesOf = (talk: Talk) => ada.conversations.branches(talk.conversationId);

  it("of an empty conversation are none, and one thread is one", async () => {
    const talk = await newTalk(ada);
    expect(await branchesOf(talk)).toEqual([]);
    const said = await say(talk, ["one", "two"]);
    expect(await branchesOf(talk)).toEqual([
      { id: said[1]!.id, preview: "two", messages: 2, at: said[1]!.at, isCurrent: true, forkId: null, ownMessages: 0 },
    ]);
  });

  it("contain the message where they leave the thread, the current one first", async () => {
    const { talk, old, again } = await forked();
    expect(await branchesOf(talk)).toMatchObject([
      { id: again.id, preview: "three again", messages: 3, isCurrent: true, forkId: null, ownMessages: 0 },
      { id: old[3]!.id, preview: "four", messages: 4, isCurrent: false, forkId: old[1]!.id, ownMessages: 2 },
    ]);
    await goTo(talk, old[3]!);
    expect(await branchesOf(talk)).toMatchObject([
      { id: old[3]!.id, isCurrent: true, forkId: null },
      { id: again.id, isCurrent: false, forkId: old[1]!.id, ownMessages: 1 },
    ]);
  });

  it("of a branch are relative to the thread, and one with another first message shares nothing", async () => {
    const { talk, old, again } = await forked();
    await goTo(talk, old[2]!);
    const [other] = await say(talk, ["four again"], { role: "assistant" });
    await goTo(talk, null);
    const [anew] = await say(talk, ["anew"]);
    const branches = await branchesOf(talk);
    expect(branches.map(({ id, forkId, ownMessages }) => [id, forkId, ownMessages])).toEqual([
      [anew!.id, null, 0],
      [other!.id, null, 4],
      [again.id, null, 3],
      [old[3]!.id, null, 4],
    ]);
    await goTo(talk, again);
    const forks = (await branchesOf(talk)).map(({ id, forkId }) => [id, forkId]);
    expect(forks).toEqual([
      [again.id, null],
      [anew!.id, null],
      [other!.id, old[1]!.id],
      [old[3]!.id, old[1]!.id],
    ]);
  });

  it("of a conversation whose leaf is in the middle of its thread, or before it", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two", "three"]);
    await goTo(talk, said[0]!);
    expect(await branchesOf(talk)).toMatchObject([
      { id: said[0]!.id, isCurrent: true, preview: "one", messages: 1 },
      { id: said[2]!.id, isCurrent: false, forkId: said[0]!.id, ownMessages: 2 },
    ]);
    await goTo(talk, null);
    expect(await branchesOf(talk)).toMatchObject([{ id: said[2]!.id, isCurrent: false, forkId: null, ownMessages: 3 }]);
  });

  it("show their last visible text, clipped, ignoring events and tools", async () => {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["😀".repeat(300)]);
    await say(talk, ["login"], { kind: "event" });
    await say(talk, [" "], { role: "assistant" });
    const result = await callTool(talk);
    await ada.turns.commitToolResult(result);
    expect(await branchesOf(talk)).toMatchObject([{ preview: "😀".repeat(200), messages: 5 }]);
    await goTo(talk, first!);
    expect(await branchesOf(talk)).toMatchObject([{}, { preview: "😀".repeat(200), ownMessages: 4 }]);
    await goTo(talk, null);
    await say(talk, ["login"], { kind: "event" });
    expect((await branchesOf(talk))[0]).toMatchObject({ preview: "", messages: 1 });
  });

  it.each([[unknownId], ["no id at all"], [""]])("of %j are refused", async (id) => {
    await expect(ada.conversations.branches(id)).rejects.toMatchObject({ code: "conversation_not_found" });
  });
});

describe("a move that reopens a turn", () => {
  const unfinished = async (talk: Talk) =>
    (await ada.unfinishedTurns.list(talk.conversationId)).map(({ turnId }) => turnId);

  it("is enough for servers to continue the turn, by its new terms", async () => {
    const talk = await newTalk(ada);
    const input = newMessage();
    const { id, turnId } = input;
    const asked = { options: {}, isServed: false };
    await ada.turns.begin({ ...beginning(talk, { leafId: null, messages: [input], key: "k" }), terms: asked });
    const [reply] = await say(talk, ["Noted."], { role: "assistant", turnId });
    const end = { stopReason: "end-turn", errorCode: null };
    await ada.leases.release(talk.lease, { turnId, first: 1, last: 1, events: null, end });
    const again = { ...talk, lease: await takeLease(ada, talk.conversationId) };
    const terms = { options: { maxSteps: 3 }, isServed: true };
    const reopens = { turnId, terms, isContinued: false };
    const stale = { from: id, to: null, reopens };
    await expect(ada.conversations.moveLeaf(again.lease, stale)).rejects.toMatchObject({ code: "agent_busy" });
    expect(await ada.unfinishedTurns.find(turnId)).toMatchObject({ stopReason: "end-turn" });
    await ada.conversations.moveLeaf(again.lease, { from: reply!.id, to: id, reopens });
    await ada.leases.release(again.lease);
    expect(await unfinished(talk)).toEqual([turnId]);
    expect(await ada.unfinishedTurns.find(turnId)).toMatchObject({ terms, stopReason: null, continued: 0 });
  });
});

describe("path", () => {
  const textsTo = async (talk: Talk, through: string | null, limit = 10) =>
    (await ada.conversations.path(talk.conversationId, { through, limit })).map(({ text }) => text);

  it("leads to the leaf or to any message, on the thread or off it", async () => {
    const { talk, old, again } = await forked();
    expect(await textsTo(talk, null)).toEqual(["one", "two", "three again"]);
    expect(await textsTo(talk, again.id)).toEqual(["one", "two", "three again"]);
    expect(await textsTo(talk, old[3]!.id)).toEqual(["one", "two", "three", "four"]);
    expect(await textsTo(talk, old[0]!.id)).toEqual(["one"]);
    expect(await ada.conversations.path(talk.conversationId, { through: old[2]!.id, limit: 1 })).toEqual([old[2]]);
  });

  it("has at most the requested length", async () => {
    const { talk, old } = await forked();
    expect(await textsTo(talk, old[3]!.id, 2)).toEqual(["three", "four"]);
    expect(await textsTo(talk, old[3]!.id, 2 ** 40)).toHaveLength(4);
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      await expect(textsTo(talk, null, limit)).rejects.toMatchObject({ code: "input_invalid" });
    }
  });

  it("of an empty conversation is empty, and unknown ends are refused", async () => {
    const talk = await newTalk(ada);
    expect(await textsTo(talk, null)).toEqual([]);
    const other = await newTalk(ada);
    const [elsewhere] = await say(other, ["other"]);
    for (const id of [unknownId, "nothing", "", elsewhere!.id]) {
      await expect(textsTo(talk, id)).rejects.toMatchObject(never);
    }
    const nowhere = { ...talk, conversationId: ids.next() };
    await expect(textsTo(nowhere, null)).rejects.toMatchObject({ code: "conversation_not_found" });
  });
});

describe("place", () => {
  const placeOf = (talk: Talk, id: string) => ada.conversations.place(talk.conversationId, id);

  it("returns the next message on the thread and the nearest input", async () => {
    const { talk, old, again } = await forked();
    expect(await placeOf(talk, old[1]!.id)).toEqual({
      message: old[1],
      onThread: true,
      isBeforeResult: false,
      after: [again.id],
      inputId: old[0]!.id,
    });
    expect(await placeOf(talk, again.id)).toMatchObject({ after: [], inputId: again.id });
    expect(await placeOf(talk, old[2]!.id)).toMatchObject({ onThread: false, after: [], inputId: null });
  });

  it("returns the position of a call before its result, on a branch too", async () => {
    const talk = await newTalk(ada);
    const [first] = await say(talk, ["one"]);
    const result = await callTool(talk);
    const call = result.callMessageId;
    expect(await placeOf(talk, call)).toMatchObject({ isBeforeResult: false });
    await ada.turns.commitToolResult(result);
    expect(await placeOf(talk, call)).toMatchObject({ isBeforeResult: true, after: [result.message.id] });
    await goTo(talk, first!);
    expect(await placeOf(talk, call)).toMatchObject({ isBeforeResult: true, onThread: false });
    expect(await placeOf(talk, first!.id)).toMatchObject({ isBeforeResult: false, inputId: first!.id });
  });

  it("has no input if there is none above, and refuses unknown messages", async () => {
    const talk = await newTalk(ada);
    const [event] = await say(talk, ["login"], { kind: "event" });
    expect(await placeOf(talk, event!.id)).toMatchObject({ inputId: null, onThread: true });
    for (const id of [unknownId, "nothing", ""]) await expect(placeOf(talk, id)).rejects.toMatchObject(never);
    await expect(ada.conversations.place(unknownId, event!.id)).rejects.toMatchObject({
      code: "conversation_not_found",
    });
  });
});

const textsOf = async ({ user, conversationId }: Talk) =>
  (await user.conversations.thread(conversationId)).messages.map(({ text }) => text);

/** one, two, three; and what stands in the place of the last two. */
async function scene() {
  const talk = await newTalk(ada);
  const [one, two, three] = (await say(talk, ["one", "two", "three"])) as [StoredMessage, StoredMessage, StoredMessage];
  const newTwo = newMessage({ parentId: one.id, role: "assistant", text: "new two" });
  const newThree = newMessage({ parentId: newTwo.id, text: "new three" });
  const replacements = [
    { replaces: two.id, message: newTwo },
    { replaces: three.id, message: newThree },
  ];
  return { talk, one, two, three, newTwo, newThree, replacements };
}

it("are on the thread with their positions, and the replaced messages are a branch", async () => {
  const { talk, one, three, newThree, replacements } = await scene();
  await ada.conversations.moveLeaf(talk.lease, { from: three.id, to: one.id, replacements });
  expect(await textsOf(talk)).toEqual(["one", "new two", "new three"]);
  expect(await ada.conversations.branches(talk.conversationId)).toMatchObject([
    { id: newThree.id, isCurrent: true, messages: 3 },
    { id: three.id, isCurrent: false, messages: 3, forkId: one.id, ownMessages: 2 },
  ]);
  const [next] = await say(talk, ["four"]);
  expect(next?.parentId).toBe(newThree.id);
});

it("have the files of those that they replace", async () => {
  const talk = await newTalk(ada);
  const { file } = await keepFile(talk, "tea");
  const old = newMessage({ content: [file] });
  await ada.turns.begin(beginning(talk, { leafId: null, messages: [old], key: ids.next() }));
  const message = newMessage({ content: [{ ...file, name: "renamed.txt" }] });
  await ada.conversations.moveLeaf(talk.lease, {
    from: old.id,
    to: null,
    replacements: [{ replaces: old.id, message }],
  });
  const id = file.location.type === "attachment" ? file.location.id : "";
  expect(await ada.attachments.filesOf([id])).toMatchObject([{ part: { name: "renamed.txt" } }]);
});

it("are refused with nothing moved if they do not follow each other, or without the lease", async () => {
  const { talk, one, three, newThree, replacements } = await scene();
  const move = { from: three.id, to: one.id };
  await expect(
    ada.conversations.moveLeaf(talk.lease, { ...move, replacements: [{ replaces: three.id, message: newThree }] }),
  ).rejects.toMatchObject({ code: "input_invalid" });
  expect(await textsOf(talk)).toEqual(["one", "two", "three"]);
  await ada.leases.release(talk.lease);
  await takeLease(ada, talk.conversationId);
  await expect(ada.conversations.moveLeaf(talk.lease, { ...move, replacements })).rejects.toMatchObject({
    code: "lease_lost",
  });
  expect(await textsOf(talk)).toEqual(["one", "two", "three"]);
});
