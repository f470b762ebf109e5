// A reply that is committed together with the result of its only call: all of it or nothing. On the engine at hand.
import type { ToolResultCommit } from "../../src/store/port/turn-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { callOf, ids, newMessage, newStep, newTalk, say, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const test = useScene(() => openTestStore());
let ada: UserStore;

beforeAll(async () => {
  ada = test.store.as("ada");
});

const edit = { label: "human", scope: "user", revision: 0, before: "", after: "Name: Ada" } as const;

async function replyIn(talk: Talk): Promise<ToolResultCommit> {
  const [asked] = await say(talk, ["I am Ada"]);
  const { message, result } = callOf(talk, { parentId: asked!.id });
  const passage = { id: ids.next(), text: "Ada sails", tags: [], kind: "memory", at: new Date() } as const;
  return { ...result, reply: { message, step: newStep(message.turnId) }, changes: [edit], passages: [passage] };
}

const textsOf = async ({ conversationId }: Talk) =>
  (await ada.conversations.thread(conversationId)).messages.map(({ role, text }) => `${role}: ${text}`);

it("stores the reply, its call, the step, the result and the changes, also when it is repeated", async () => {
  const talk = await newTalk(ada);
  const commit = await replyIn(talk);
  const events = { turnId: commit.message.turnId, first: 1, last: 3, events: "[]" };
  for (let times = 0; times < 2; times += 1) await ada.turns.commitToolResult({ ...commit, events });
  expect(await textsOf(talk)).toEqual(["user: I am Ada", "assistant: ", "tool: done"]);
  const calls = await test.ownerRows(
    "select name, position, status, result_message_id from tool_calls where message_id = $1",
    [commit.callMessageId],
  );
  expect(calls).toEqual([
    { name: "core_memory_append", position: 0, status: "ok", result_message_id: commit.message.id },
  ]);
  expect(await ada.steps.list(talk.conversationId, 5)).toHaveLength(1);
  expect(await ada.modules.revisions(talk.agentId, { limit: 5 })).toMatchObject([
    { after: "Name: Ada", messageId: commit.callMessageId, callId: "call-1" },
  ]);
  expect(await ada.passages.count(talk.agentId)).toBe(1);
  expect(await ada.events.last(commit.message.turnId)).toBe(3);
});

it("stores nothing at all if a module has changed, and everything with the newer revision", async () => {
  const talk = await newTalk(ada);
  const commit = await replyIn(talk);
  const stale = { ...edit, revision: 7 };
  await expect(ada.turns.commitToolResult({ ...commit, changes: [stale] })).rejects.toMatchObject({
    code: "revision_conflict",
  });
  expect(await textsOf(talk)).toEqual(["user: I am Ada"]);
  expect(await ada.steps.list(talk.conversationId, 5)).toEqual([]);
  await ada.turns.commitToolResult(commit);
  expect(await textsOf(talk)).toHaveLength(3);
});

it("is refused for another leaf, another lease and another user, and stores nothing", async () => {
  const talk = await newTalk(ada);
  const commit = await replyIn(talk);
  const elsewhere = newMessage({ ...commit.reply!.message, parentId: ids.next() });
  const reply = { ...commit.reply!, message: elsewhere };
  await expect(ada.turns.commitToolResult({ ...commit, reply })).rejects.toMatchObject({ code: "agent_busy" });
  const lease = { ...talk.lease, fence: talk.lease.fence - 1 };
  await expect(ada.turns.commitToolResult({ ...commit, lease })).rejects.toMatchObject({ code: "lease_lost" });
  await expect(test.store.as("ben").turns.commitToolResult(commit)).rejects.toMatchObject({
    code: "conversation_not_found",
  });
  expect(await textsOf(talk)).toEqual(["user: I am Ada"]);
});
