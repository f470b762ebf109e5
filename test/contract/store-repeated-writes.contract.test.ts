// The writes of a turn whose answer was lost, made again, come to the same; a reply and the result of its only call are committed
// together or not at all. On the engine at hand.
import net from "node:net";
import { openStore } from "../../src/store/open-store.ts";
import type { ToolResultCommit } from "../../src/store/port/turn-store.ts";
import { isOnServer, useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  chain,
  ids,
  newCompaction,
  newMessage,
  newStep,
  newTalk,
  say,
  takeLease,
  type Talk,
  ttlMs,
  callOf,
} from "../support/store-builders.ts";

const { test, ada } = useStore();
let talk: Talk;

beforeEach(async () => (talk = await newTalk(ada)));

const textsOf = async ({ user, conversationId }: Talk): Promise<readonly string[]> =>
  (await user.conversations.thread(conversationId)).messages.map(({ text }) => text);

const edit = { label: "human", scope: "user", revision: 0, before: "", after: "Ada" } as const;

describe("a write that is repeated after its commit", () => {
  it("begins a turn once, even if it acquired the lease", async () => {
    await ada.leases.release(talk.lease);
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "one" });
    const asked = { ...turn, lease: { claimant: "me" } };
    const begun = await ada.turns.begin(asked);
    expect(begun?.lease.fence).toBe(talk.lease.fence + 1);
    // What a search finds is not counted again: the session keeps its earlier counts.
    const again = { ...begun, searchable: null };
    expect(await ada.turns.begin(asked)).toEqual(again);
    const held = { ...turn, lease: begun!.lease };
    expect(await ada.turns.begin(held)).toEqual(again);
    expect(await textsOf(talk)).toEqual(["hello"]);
  });

  it("does not begin for another sender with the same key", async () => {
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "one" });
    await ada.turns.begin(turn);
    const other = beginning(talk, { leafId: null, messages: [newMessage()], key: "one" });
    await expect(ada.turns.begin(other)).rejects.toMatchObject({ code: "input_repeated" });
  });

  it("stores a reply and a tool's result once", async () => {
    const [asked] = await say(talk, ["hello"]);
    const message = newMessage({ parentId: asked!.id, role: "assistant", text: "hi" });
    const reply = { ...talk, message, step: newStep(message.turnId) };
    await ada.turns.commitReply(reply);
    await ada.turns.commitReply(reply);
    const result = { ...(await callTool(talk)), changes: [edit] };
    await ada.turns.commitToolResult(result);
    await ada.turns.commitToolResult(result);
    expect(await textsOf(talk)).toEqual(["hello", "hi", "", "done"]);
    expect(await ada.modules.revisions(talk.agentId, { limit: 5 })).toHaveLength(1);
    expect(await ada.steps.list(talk.conversationId, 5)).toHaveLength(2);
  });

  it("begins and changes a consolidation once", async () => {
    const { agentId } = talk;
    const [id, text, now] = [ids.next(), "Ada sails", new Date()];
    const facts = {
      id,
      agentId,
      signals: { similar: 0, full: 0, expired: 0, unsaved: 10 },
      model: "m",
      createdAt: now,
    };
    const ranges = { passage: id, message: id, modules: {} };
    const claimedUntil = new Date(now.getTime() + 60_000);
    const begin = { ...facts, ranges, after: null, forgettings: 0, claimedUntil, unlessTurn: false };
    expect(await ada.consolidations.begin(begin)).toBe(true);
    expect(await ada.consolidations.begin(begin)).toBe(true);
    expect(await ada.consolidations.begin({ ...begin, id: ids.next() })).toBe(false);
    await ada.leases.release(talk.lease);
    const run = (await ada.consolidations.find(id))!;
    const passages = [{ id: ids.next(), text, tags: [], kind: "memory", at: now, trust: "user" }] as const;
    const added = { kind: "add", status: "applied", reason: "", targets: [], texts: [text], module: null } as const;
    const operation = { ...added, evidence: [], trust: "user", needsReview: true, why: null, replaced: [] } as const;
    const next = { status: "applied", operations: [operation], endedAt: now } as const;
    const effect = { changes: [], cause: { origin: "user" }, passages, links: [], kept: [], undone: null } as const;
    const commit = { run, next, ...effect };
    await ada.consolidations.commit(commit);
    await ada.consolidations.commit(commit);
    const other = { ...commit, next: { ...next, operations: [{ ...operation, reason: "other" }] } };
    await expect(ada.consolidations.commit(other)).rejects.toMatchObject({ code: "agent_busy" });
    expect(await ada.passages.list(agentId, { limit: 5, order: "newest" })).toHaveLength(1);
  });

  it("appends messages and edits core memory once", async () => {
    const messages = chain(null, [{ text: "one" }, { text: "two", role: "assistant" }]);
    await ada.turns.append(talk.lease, messages);
    await ada.turns.append(talk.lease, messages);
    const memory = { ...talk, messageId: messages[1]!.id, changes: [edit], trust: "model" } as const;
    await ada.turns.commitMemory(memory);
    await ada.turns.commitMemory(memory);
    expect(await textsOf(talk)).toEqual(["one", "two"]);
    expect(await ada.modules.revisions(talk.agentId, { limit: 5 })).toHaveLength(1);
    const other = { ...memory, messageId: messages[0]!.id };
    await expect(ada.turns.commitMemory(other)).rejects.toMatchObject({ code: "revision_conflict" });
  });

  it("stores the events of a turn once, with later ones", async () => {
    const { turnId } = newMessage();
    const batch = (last: number) => ({ turnId, first: 1, last, events: JSON.stringify([{ last }]) });
    for (const last of [2, 4, 2]) await ada.events.append(talk.lease, batch(last));
    const { batches } = await ada.events.read(talk.conversationId, turnId, { after: 0 });
    expect(batches).toEqual([batch(4)]);
  });

  it("stores compactions once", async () => {
    const messages = await say(talk, ["one", "two"]);
    const made = [newCompaction({ throughId: messages[0]!.id, throughPosition: 1 })];
    const version = await ada.compactions.add(talk.lease, made);
    expect(await ada.compactions.add(talk.lease, made)).toBe(version);
    expect(await ada.compactions.list(talk.conversationId, 5)).toHaveLength(1);
  });

  it("returns a lease to its holder, and to no other claimant", async () => {
    await ada.leases.release(talk.lease);
    const request = { conversationId: talk.conversationId, claimant: "me", ttlMs };
    const first = await ada.leases.take(request);
    const again = await ada.leases.take(request);
    expect([first.type, again.type]).toEqual(["taken", "taken"]);
    expect((await ada.leases.take({ ...request, claimant: ids.next() })).type).toBe("busy");
    if (again.type === "taken") await ada.leases.release(again.lease);
    await takeLease(ada, talk.conversationId);
  });
});

/** Its title tells why it is not run on the embedded engine. */
const onServer = isOnServer ? it : it.skip;

onServer(
  "a turn whose commits are answered to nobody is stored once and told as stored (on a server: reached through a proxy)",
  async () => {
    if (test.connection.kind !== "server") throw new TypeError("Expected a server.");
    await using proxy = await startProxy(new URL(test.connection.url));
    const store = await openStore({ connection: { kind: "server", url: proxy.url } });
    const far = store.as("ada");
    proxy.loseCommits(1);
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "one" });
    expect(await far.turns.begin(turn)).toMatchObject({ lease: talk.lease });
    expect(proxy.lost()).toBe(1);
    proxy.loseCommits(1);
    await expect(far.agents.delete(talk.agentId)).rejects.toMatchObject({
      code: "store_unreachable",
      message: expect.stringContaining("may have been stored or not"),
    });
    expect(await far.agents.find(talk.agentId)).toBeNull();
    await store.close();
  },
);

/** Passes everything on, but for the answers to so many commits: there it ends the connection. */
async function startProxy(target: URL) {
  let toLose = 0;
  let lost = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let isCommitting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    client.on("data", (bytes) => {
      if (toLose > 0 && bytes.includes("commit\0")) isCommitting = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!isCommitting) return void client.write(bytes);
      [toLose, lost] = [toLose - 1, lost + 1];
      client.destroy();
      upstream.destroy();
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    loseCommits: (count: number) => void (toLose = count),
    lost: () => lost,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const editOfHuman = { label: "human", scope: "user", revision: 0, before: "", after: "Name: Ada" } as const;

async function replyIn(talk: Talk): Promise<ToolResultCommit> {
  const [asked] = await say(talk, ["I am Ada"]);
  const { message, result } = callOf(talk, { parentId: asked!.id });
  const passage = { id: ids.next(), text: "Ada sails", tags: [], kind: "memory", at: new Date() } as const;
  return { ...result, reply: { message, step: newStep(message.turnId) }, changes: [editOfHuman], passages: [passage] };
}

const saidIn = async ({ conversationId }: Talk) =>
  (await ada.conversations.thread(conversationId)).messages.map(({ role, text }) => `${role}: ${text}`);

it("stores the reply, its call, the step, the result and the changes, also when it is repeated", async () => {
  const commit = await replyIn(talk);
  const events = { turnId: commit.message.turnId, first: 1, last: 3, events: "[]" };
  for (let times = 0; times < 2; times += 1) await ada.turns.commitToolResult({ ...commit, events });
  expect(await saidIn(talk)).toEqual(["user: I am Ada", "assistant: ", "tool: done"]);
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
  const commit = await replyIn(talk);
  const stale = { ...editOfHuman, revision: 7 };
  await expect(ada.turns.commitToolResult({ ...commit, changes: [stale] })).rejects.toMatchObject({
    code: "revision_conflict",
  });
  expect(await saidIn(talk)).toEqual(["user: I am Ada"]);
  expect(await ada.steps.list(talk.conversationId, 5)).toEqual([]);
  await ada.turns.commitToolResult(commit);
  expect(await saidIn(talk)).toHaveLength(3);
});

it("is refused for another leaf, another lease and another user, and stores nothing", async () => {
  const commit = await replyIn(talk);
  const elsewhere = newMessage({ ...commit.reply!.message, parentId: ids.next() });
  const reply = { ...commit.reply!, message: elsewhere };
  await expect(ada.turns.commitToolResult({ ...commit, reply })).rejects.toMatchObject({ code: "agent_busy" });
  const lease = { ...talk.lease, fence: talk.lease.fence - 1 };
  await expect(ada.turns.commitToolResult({ ...commit, lease })).rejects.toMatchObject({ code: "lease_lost" });
  await expect(test.store.as("ben").turns.commitToolResult(commit)).rejects.toMatchObject({
    code: "conversation_not_found",
  });
  expect(await saidIn(talk)).toEqual(["user: I am Ada"]);
});
