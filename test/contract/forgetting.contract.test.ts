// What a forgetting does to messages, sections, summaries and vectors, and who can still write afterwards. On the engine at hand.
import type { SearchedObjects } from "../../src/store/port/forgetting-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { forgottenMark } from "../../src/base/redactor.ts";
import { undoEdit } from "../../src/memory/core/undo-edit.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { isOnServer, useStore } from "../support/database.ts";
import { fillAgentMessage } from "../support/isolation-agent-message-cases.ts";
import {
  beginning,
  callOf,
  callTool,
  compactThrough,
  ids,
  keepFile,
  newMessage,
  newStep,
  newTalk,
  say,
  synopsisOf,
  takeLease,
  type Talk,
} from "../support/store-builders.ts";
import { nextMillisecond, until } from "../support/until.ts";

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

const { test } = useStore();
let users = 0;

const noObjects: SearchedObjects = { searched: { files: [], nodes: [] }, files: [], nodes: [] };

async function forget(
  { forgetting }: UserStore,
  { texts = [], messages = [], passages = [] }: { texts?: string[]; messages?: string[]; passages?: string[] },
) {
  const record = { id: ids.next(), origin: "user", requestedAt: new Date() } as const;
  return forgetting.apply({ request: { texts, messages, passages }, objects: noObjects, record, pending: [] });
}

const newUser = () => test.store.as(`user-${(users += 1)}`);
const textsIn = async ({ user, conversationId }: Talk) =>
  (await user.conversations.path(conversationId, { through: null, limit: 100 })).map(({ text }) => text);

describe("a message that is removed as a whole", () => {
  it("keeps its place, loses its text and its copies, also in a fork, and is found by no search", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    const [said] = await say(talk, [
      "My locker is number ninety-one.",
      'You said "My locker is number ninety-one."',
      "yes",
    ]);
    await user.leases.release(talk.lease);
    const fork = await user.conversations.fork({
      id: ids.next(),
      conversationId: talk.conversationId,
      newId: () => ids.next(),
    });
    await forget(user, { messages: [said!.id] });
    expect(await textsIn(talk)).toEqual([forgottenMark, `You said "${forgottenMark}"`, "yes"]);
    expect(await textsIn({ ...talk, conversationId: fork.id })).toEqual([
      forgottenMark,
      `You said "${forgottenMark}"`,
      "yes",
    ]);
    const found = await user.recall.search({
      agentId,
      text: forgottenMark,
      page: 0,
      pageSize: 9,
      includeAbandoned: true,
    });
    expect(found.rows.map(({ id }) => id)).not.toContain(said!.id);
  });

  it("takes nothing from messages that share a short text", async () => {
    const talk = await newTalk(newUser());
    const [first] = await say(talk, ["yes, please", "Done.", "I said yes, please!"]);
    await forget(talk.user, { messages: [first!.id] });
    expect(await textsIn(talk)).toEqual([forgottenMark, "Done.", "I said yes, please!"]);
  });

  it("leaves nothing of its calls: neither arguments nor previews nor reasons", async () => {
    const talk = await newTalk(newUser());
    const { user } = talk;
    const { message } = callOf(talk, { parentId: null });
    await user.turns.commitReply({ ...talk, message, step: newStep(message.turnId) });
    await test.ownerRows(
      `update tool_calls set requested_arguments = '{"content":"ninety-one"}', approved_arguments = '{"content":"91"}',
         preview = 'ninety-one', reason = 'ninety-one' where user_id = $1`,
      [user.userId],
    );
    await forget(user, { messages: [message.id] });
    const calls = await test.ownerRows(
      "select requested_arguments, approved_arguments, preview, reason from tool_calls where user_id = $1",
      [user.userId],
    );
    expect(calls).toEqual([
      { requested_arguments: "{}", approved_arguments: "{}", preview: forgottenMark, reason: forgottenMark },
    ]);
  });

  it.each(["original", "fork"] as const)("takes its file with it if it is removed in the %s", async (where) => {
    const talk = await newTalk(newUser());
    const { user, conversationId } = talk;
    const { file } = await keepFile(talk, "A photograph.");
    const message = newMessage({ text: "look", content: [{ type: "text", text: "look" }, file] });
    await user.turns.begin(beginning(talk, { leafId: null, messages: [message], key: ids.next() }));
    await user.leases.release(talk.lease);
    const fork = await user.conversations.fork({ id: ids.next(), conversationId, newId: () => ids.next() });
    const forked = await user.conversations.path(fork.id, { through: null, limit: 1 });
    const objects = { ...noObjects, searched: await user.forgetting.objects() };
    const request = { texts: [], messages: [where === "fork" ? forked[0]!.id : message.id], passages: [] };
    const record = { id: ids.next(), origin: "user", requestedAt: new Date() } as const;
    const places = await user.forgetting.apply({ request, objects, record, pending: [] });
    expect(places?.filter(({ kind }) => kind === "attachment")).toHaveLength(1);
    expect(await test.ownerRows("select from attachments where user_id = $1", [user.userId])).toEqual([]);
  });

  it("must exist, as must a passage", async () => {
    const user = newUser();
    for (const request of [{ messages: [ids.next()] }, { messages: ["no id"] }]) {
      await expect(forget(user, request)).rejects.toMatchObject({ code: "message_not_found" });
    }
    await expect(forget(user, { passages: [ids.next()] })).rejects.toMatchObject({ code: "passage_not_found" });
  });
});

describe("a passage", () => {
  it("is deleted if nothing else is left of it, or if another one has the rest", async () => {
    const { user, agentId } = await newTalk(newUser());
    const add = (content: string) =>
      ({ id: ids.next(), text: content, tags: [], kind: "memory", at: new Date() }) as const;
    const added = [add("Code 4711"), add("The code 4711 is old."), add("The CODE 4711 is old."), add("Tea.")];
    await user.passages.add(agentId, added, "user");
    await forget(user, { texts: ["code 4711"] });
    const rows = await user.passages.list(agentId, { order: "newest", limit: 9 });
    expect(rows.map(({ text }) => text).toSorted()).toEqual(["Tea.", `The ${forgottenMark} is old.`]);
  });

  it.each(["3", "OK", "."])("takes nothing else if it is as short as %s", async (short) => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    const texts = ["OK, 3 of 13. It is 3.", "Call 4713. OK."];
    await say(talk, texts);
    const passage = { id: ids.next(), text: short, tags: [], kind: "memory", at: new Date() } as const;
    await user.passages.add(agentId, [passage], "user");
    await forget(user, { passages: [passage.id] });
    expect(await user.passages.count(agentId)).toBe(0);
    expect(await textsIn(talk)).toEqual(texts);
  });

  it("takes copies of a short text only where it is a word", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    await say(talk, ["Tea: instead of steady teams, tea."]);
    const passage = { id: ids.next(), text: "tea", tags: [], kind: "memory", at: new Date() } as const;
    await user.passages.add(agentId, [passage], "user");
    await forget(user, { passages: [passage.id] });
    expect(await textsIn(talk)).toEqual([`${forgottenMark}: instead of steady teams, ${forgottenMark}.`]);
  });

  it("is removed with the call that added it", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    const call = await callTool(talk);
    const passage = { id: ids.next(), text: "PIN 4711", tags: [], kind: "memory", at: new Date() } as const;
    await user.turns.commitToolResult({ ...call, passages: [passage] });
    await forget(user, { passages: [passage.id] });
    expect(await user.passages.count(agentId)).toBe(0);
  });
});

describe("a section of core memory", () => {
  it("equals the fold of its revisions, and neither an undo nor an earlier edit brings the text back", async () => {
    const { user, agentId } = await newTalk(newUser());
    const read = async () => (await user.modules.list(agentId)).find(({ label }) => label === "human")!;
    const edit = async (after: string) => {
      const { revision, value } = await read();
      await user.modules.change(agentId, [{ label: "human", scope: "user", revision, before: value, after }], {
        origin: "user",
      });
    };
    await edit("Likes tea. PIN 4711.");
    await edit("Likes tea.");
    const stale = await read();
    await forget(user, { texts: ["PIN 4711"] });
    const change = {
      label: "human",
      scope: "user",
      revision: stale.revision,
      before: stale.value,
      after: "PIN 4711",
    } as const;
    await expect(user.modules.change(agentId, [change], { origin: "user" })).rejects.toMatchObject({
      code: "revision_conflict",
    });
    const [forgotten] = await user.modules.revisions(agentId, { label: "human", limit: 1 });
    expect(forgotten).toMatchObject({ revision: stale.revision + 1, toolName: "forget", undoes: null });
    await expect(
      undoEdit(user.modules, { agentId, label: "human", revision: stale.revision + 1 }),
    ).rejects.toMatchObject({ code: "undo_refused", message: expect.stringContaining("did not change the text") });
    await undoEdit(user.modules, { agentId });
    expect((await read()).value).toBe(`Likes tea. ${forgottenMark}.`);
    const revisions = (await user.modules.revisions(agentId, { label: "human", limit: 99 })).toReversed();
    expect(revisions.map(({ before }) => before)).toEqual(["", ...revisions.slice(0, -1).map(({ after }) => after)]);
  });
});

const onServer = isOnServer ? it : it.skip;

const reason = "(on a server: the embedded engine runs one transaction at a time)";

onServer(`the revision of a forgetting that waited is newer than an edit that began later ${reason}`, async () => {
  const { user, agentId } = await newTalk(newUser());
  const edit = async (revision: number, before: string, after: string) =>
    user.modules.change(agentId, [{ label: "human", scope: "user", revision, before, after }], { origin: "user" });
  await edit(0, "", "PIN 4711.");
  const database = await openDatabase({ connection: test.connection });
  let forgetting: Promise<unknown> = Promise.resolve();
  await database.ownerTransaction(async (tx) => {
    await tx.run("select from users where user_id = $1 for no key update", [user.userId]);
    forgetting = forget(user, { texts: ["PIN 4711"] });
    await until(async () => (await test.ownerRows(waiting)).length > 0);
    await nextMillisecond();
    await edit(1, "PIN 4711.", "PIN 4711. Likes tea.");
  });
  await forgetting;
  await database.close();
  const revisions = await user.modules.revisions(agentId, { label: "human", limit: 9 });
  expect(revisions.map(({ revision, toolName }) => [revision, toolName])).toEqual([
    [3, "forget"],
    [2, null],
    [1, null],
  ]);
});

describe("summaries", () => {
  it("that cover a changed message are undone with all later ones, and their messages are in the window again", async () => {
    const talk = await newTalk(newUser());
    const { user, conversationId } = talk;
    const said = await say(talk, ["one", "two", "PIN 4711", "four", "five"]);
    await compactThrough(talk, said[1]!.id, { summary: "first" });
    await compactThrough(talk, said[3]!.id, { summary: "They have a number." });
    await forget(user, { texts: ["PIN 4711"] });
    const { compactions, messages } = await user.conversations.thread(conversationId);
    expect(compactions.map(({ summary }) => summary)).toEqual(["first"]);
    expect(messages.map(({ text }) => text)).toEqual([forgottenMark, "four", "five"]);
    const listed = await user.compactions.list(conversationId, 9);
    expect(listed.map(({ summary }) => summary).toSorted()).toEqual([forgottenMark, "first"].toSorted());
  });

  it("of messages that retention has dropped stay without their text", async () => {
    const talk = await newTalk(newUser());
    const { user, conversationId } = talk;
    const said = await say(talk, ["one", "two", "three"]);
    await compactThrough(talk, said[1]!.id, { summary: "They said PIN 4711." });
    await test.ownerRows("delete from messages where id = $1::uuid", [said[0]!.id]);
    await forget(user, { texts: ["PIN 4711"] });
    const { compactions, messages } = await user.conversations.thread(conversationId);
    expect(compactions.map(({ summary }) => summary)).toEqual([forgottenMark]);
    expect(messages.map(({ text }) => text)).toEqual(["three"]);
  });
});

describe("whoever has read the text before", () => {
  it("stores no synopsis that was being made from it", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    const passage = (text: string) => ({ id: ids.next(), text, tags: [], kind: "memory", at: new Date() }) as const;
    const kept = passage("My locker is PIN 4711.");
    await user.passages.add(agentId, [kept], "user");
    const [claim, now] = [ids.next(), new Date()];
    await user.synopses.claim(agentId, { claim, parts: ["identity"], now, nextRefreshAt: now, asked: true });
    await forget(user, { texts: ["PIN 4711"] });
    const made = synopsisOf([kept.id], { traits: ["has PIN 4711"] });
    expect(await user.synopses.save(agentId, claim, [made])).toBe("lost");
    expect((await user.synopses.read(agentId)).map((row) => row.made)).toEqual([null]);
  });

  it("writes nothing more in a running turn, and queued inputs with the text are withdrawn", async () => {
    const talk = await newTalk(newUser());
    const { user, conversationId } = talk;
    await say(talk, ["PIN 4711"]);
    const input = (text: string) =>
      ({ messages: [{ idempotencyKey: ids.next(), content: [{ type: "text", text }] }] }) as const;
    await user.inputs.enqueue(conversationId, input("Again: PIN 4711"));
    await user.inputs.enqueue(conversationId, input("What else?"));
    await forget(user, { texts: ["pin 4711"] });
    await expect(say(talk, ["It is PIN 4711."])).rejects.toMatchObject({ code: "lease_lost" });
    await test.ownerRows("update inputs set waits_until = now() - interval '1 minute' where user_id = $1", [
      user.userId,
    ]);
    const waiting = await user.inputs.abandoned(conversationId);
    expect(waiting.flatMap(({ messages }) => messages.map(({ content }) => content))).toEqual([
      [{ type: "text", text: "What else?" }],
    ]);
    await say({ ...talk, lease: await takeLease(user, conversationId) }, ["Tea."]);
  });

  it("answers no other agent with it: an answer waits for the forgetting", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    const [asked, said] = await say(talk, ["Where?", "In Harbour Street."]);
    const id = await fillAgentMessage(test, talk, { messageId: asked!.id, text: "Where?" });
    await test.ownerRows("update agent_messages set turn_id = $1::uuid where id = $2::uuid", [said!.turnId, id]);
    const [message] = await user.agentMessages.list(agentId, { limit: 1 });
    const database = await openDatabase({ connection: test.connection });
    let answering = Promise.resolve(false);
    await database.ownerTransaction(async (tx) => {
      await tx.run("select from users where user_id = $1 for no key update", [user.userId]);
      await tx.run("update messages set text = $1 where id = $2::uuid", [forgottenMark, said!.id]);
      let isOver = !isOnServer;
      answering = user.agentMessages.answerWithTurn(message!, ids.next()).finally(() => (isOver = true));
      await until(async () => isOver || (await test.ownerRows(waiting)).length > 0);
    });
    expect(await answering).toBe(true);
    await database.close();
    const messages = await user.agentMessages.list(agentId, { limit: 9 });
    expect(messages.map(({ text }) => text)).toEqual([forgottenMark, "Where?"]);
  });

  it("stores no vector of it, nor of the message after it", async () => {
    const talk = await newTalk(newUser());
    const { user, agentId } = talk;
    await say(talk, ["PIN 4711?", "Yes.", "Tea.", "Fine."]);
    const kind = { embedder: "test", dimensions: 512 };
    const vector = Array.from({ length: 512 }, () => 0.1);
    const texts = async () => user.recall.withoutVector(agentId, { ...kind, limit: 9 });
    const before = await texts();
    const embed = (rows: typeof before) =>
      user.recall.addVectors(agentId, {
        ...kind,
        rows: rows.map(({ id, forgettings }) => ({
          messageId: id,
          vector,
          ...(forgettings === undefined ? {} : { forgettings }),
        })),
      });
    await embed(before);
    expect(await texts()).toEqual([]);
    await forget(user, { texts: ["PIN 4711"] });
    const after = await texts();
    expect(after.map(({ text }) => text)).toEqual(["Yes.", `${forgottenMark}?`]);
    await embed(before);
    expect(await texts()).toEqual(after);
    await embed(after);
    expect(await texts()).toEqual([]);
  });
});

describe("a forgetting that finds nothing", () => {
  it("changes nothing and leaves no record", async () => {
    const talk = await newTalk(newUser());
    await say(talk, ["Tea."]);
    expect(await forget(talk.user, { texts: ["PIN 4711"] })).toEqual([]);
    expect(await talk.user.forgetting.list(9)).toEqual([]);
    await say(talk, ["More tea."]);
  });
});
