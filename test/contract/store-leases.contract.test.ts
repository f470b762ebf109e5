// Leases and the queue of inputs: who may write, who comes next, that a stale writer is refused, and who is called when a lease is
// released: the embedded engine is polled. On the engine at hand.
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import type { Lease, LeaseOutcome } from "../../src/store/port/turn-store.ts";
import { useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  chain,
  compactThrough,
  ids,
  newCompaction,
  newMessage,
  newStep,
  newTalk,
  say,
  takeLease,
  type Talk,
  ttlMs,
} from "../support/store-builders.ts";
import { onEngine, onServer } from "../support/on-engine.ts";

const { test, ada } = useStore();

const take = ({ conversationId }: Talk, idempotencyKey?: string): Promise<LeaseOutcome> =>
  ada.leases.take({
    conversationId,
    claimant: ids.next(),
    ttlMs,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });

/** A conversation that nobody steps, which stands on one message. */
async function freeTalk(): Promise<Talk> {
  const talk = await newTalk(ada);
  await say(talk, ["hello"]);
  await ada.leases.release(talk.lease);
  return talk;
}

async function expire({ conversationId }: Talk): Promise<void> {
  await test.ownerRows("update conversations set lease_expires_at = now() - interval '1 second' where id = $1::uuid", [
    conversationId,
  ]);
}

async function abandon(key: string): Promise<void> {
  await test.ownerRows("update inputs set waits_until = now() - interval '1 second' where idempotency_key = $1", [key]);
}

const enqueue = ({ conversationId }: Talk, key: string) =>
  ada.inputs.enqueue(conversationId, { messages: [{ idempotencyKey: key, content: [{ type: "text", text: key }] }] });

describe("a lease", () => {
  it("goes to one of several concurrent claimants; the others get its holder", async () => {
    const talk = await freeTalk();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => take(talk)));
    expect(outcomes.filter(({ type }) => type === "taken")).toHaveLength(1);
    const busy = outcomes.filter((outcome) => outcome.type === "busy");
    expect(busy).toHaveLength(7);
    // Those that waited for the row may have read it before it was taken.
    for (const { holder, ahead } of busy) {
      expect([null, `process ${process.pid} on ${hostname()}`]).toContain(holder);
      expect(ahead).toBe(0);
    }
    expect(await take(talk)).toMatchObject({
      type: "busy",
      holder: expect.stringContaining(`process ${process.pid} `),
    });
  });

  it("contains the leaf of the conversation, and a higher fence each time", async () => {
    const talk = await freeTalk();
    const leafId = (await ada.conversations.find(talk.conversationId))!.leafId;
    const first = (await take(talk)) as Extract<LeaseOutcome, { type: "taken" }>;
    expect(first.leafId).toBe(leafId);
    await ada.leases.release(first.lease);
    expect((await takeLease(ada, talk.conversationId)).fence).toBeGreaterThan(first.lease.fence);
  });

  it("that was taken over can be released and renewed only by its new holder", async () => {
    const talk = await newTalk(ada);
    await expire(talk);
    const lease = await takeLease(ada, talk.conversationId);
    await ada.leases.release(talk.lease);
    await expect(ada.leases.renew(talk.lease, ttlMs)).rejects.toMatchObject({ code: "lease_lost" });
    expect(await take(talk)).toMatchObject({ type: "busy" });
    await ada.leases.renew(lease, ttlMs);
    await ada.leases.release(lease);
    await expect(ada.leases.renew(lease, ttlMs)).rejects.toMatchObject({ code: "lease_lost" });
  });

  it("expires later when it is renewed", async () => {
    const talk = await newTalk(ada);
    await expire(talk);
    await ada.leases.renew(talk.lease, ttlMs);
    expect(await take(talk)).toMatchObject({ type: "busy" });
  });

  it("is acquired by the beginning of a turn if it is free, and not otherwise", async () => {
    const talk = await freeTalk();
    const leafId = (await ada.conversations.find(talk.conversationId))!.leafId;
    const turn = beginning(talk, { leafId, messages: chain(leafId, [{ text: "first" }]), key: "first" });
    const begun = await ada.turns.begin({ ...turn, lease: { claimant: "one" } });
    expect(begun!.lease.fence).toBeGreaterThan(talk.lease.fence);
    const next = chain(turn.messages[0]!.id, [{ text: "second" }]);
    const second = beginning(talk, { leafId: turn.messages[0]!.id, messages: next, key: "second" });
    expect(await ada.turns.begin({ ...second, lease: { claimant: "two" } })).toBeNull();
    expect(await ada.turns.begin({ ...second, lease: begun!.lease })).toMatchObject({ lease: begun!.lease });
  });

  it.each([[{ conversationId: "no id" }], [{ conversationId: ids.next() }]])(
    "cannot be acquired for %j",
    async (unknown) => {
      await expect(ada.leases.take({ ...unknown, claimant: "one", ttlMs })).rejects.toMatchObject({
        code: "conversation_not_found",
      });
    },
  );
});

describe("a holder", () => {
  const holderOf = async ({ conversationId }: Talk): Promise<Record<string, unknown>> => {
    const [row] = await test.ownerRows<{ readonly holder: string }>(
      "select lease_holder as holder from conversations where id = $1::uuid",
      [conversationId],
    );
    return JSON.parse(row!.holder) as Record<string, unknown>;
  };
  const setHolder = async ({ conversationId }: Talk, holder: Record<string, unknown>): Promise<void> => {
    await test.ownerRows("update conversations set lease_holder = $2 where id = $1::uuid", [
      conversationId,
      JSON.stringify(holder),
    ]);
  };

  it("whose process has ended loses the lease at once", async () => {
    const talk = await newTalk(ada);
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    await setHolder(talk, { ...(await holderOf(talk)), pid: ended });
    expect(await take(talk)).toMatchObject({ type: "taken" });
  });

  it("whose process id was reused loses the lease as well", async () => {
    const talk = await newTalk(ada);
    await setHolder(talk, { ...(await holderOf(talk)), startedAt: "long ago" });
    expect(await take(talk)).toMatchObject({ type: "taken" });
  });

  it.each([["host"], ["namespace"]])("in another %s keeps it until it expires", async (part) => {
    const talk = await newTalk(ada);
    await setHolder(talk, { ...(await holderOf(talk)), pid: 2 ** 22, [part]: "elsewhere" });
    expect(await take(talk)).toMatchObject({ type: "busy" });
    await expire(talk);
    expect(await take(talk)).toMatchObject({ type: "taken" });
  });

  it("cannot write after its lease was taken over", async () => {
    const talk = await newTalk(ada);
    const said = await say(talk, ["one", "two"]);
    const result = await callTool(talk);
    const leafId = result.callMessageId;
    await compactThrough(talk, said[1]!.id);
    await expire(talk);
    await takeLease(ada, talk.conversationId);
    const before = await test.ownerRows("select * from conversations where id = $1::uuid", [talk.conversationId]);
    const thread = await ada.conversations.thread(talk.conversationId);
    const reply = newMessage({ parentId: leafId, role: "assistant" });
    const compaction = newCompaction({ throughId: said[0]!.id, throughPosition: 1 });
    const edit = { label: "human", scope: "user", revision: 0, before: "", after: "stale" } as const;
    const stale: Readonly<Record<string, (lease: Lease) => Promise<unknown>>> = {
      begin: () => ada.turns.begin(beginning(talk, { leafId, messages: chain(leafId, [{}]), key: "stale" })),
      reply: () => ada.turns.commitReply({ ...talk, message: reply, step: newStep(ids.next()) }),
      result: () => ada.turns.commitToolResult({ ...result, changes: [edit] }),
      append: (lease) => ada.turns.append(lease, chain(leafId, [{}])),
      memory: () => ada.turns.commitMemory({ ...result, messageId: leafId, changes: [edit], trust: "model" }),
      moveLeaf: (lease) => ada.conversations.moveLeaf(lease, { from: leafId, to: said[0]!.id }),
      compact: (lease) => ada.compactions.add(lease, [compaction]),
      undo: (lease) => ada.compactions.undo(lease),
    };
    for (const [name, write] of Object.entries(stale)) {
      const code = await write(talk.lease).catch((error: { readonly code: string }) => error.code);
      expect([name, code]).toEqual([name, "lease_lost"]);
    }
    expect(await test.ownerRows("select * from conversations where id = $1::uuid", [talk.conversationId])).toEqual(
      before,
    );
    expect(await ada.conversations.thread(talk.conversationId)).toEqual(thread);
    expect(await ada.modules.revisions(talk.agentId, { limit: 5 })).toEqual([]);
  });
});

describe("the queue", () => {
  it("admits inputs one after the other, in the order of arrival", async () => {
    const talk = await newTalk(ada);
    await enqueue(talk, "queue: first");
    await enqueue(talk, "queue: second");
    expect(await take(talk, "queue: first")).toMatchObject({ type: "busy", ahead: 0 });
    await ada.leases.release(talk.lease);
    expect(await take(talk, "queue: second")).toEqual({ type: "busy", holder: null, ahead: 1 });
    expect(await take(talk)).toEqual({ type: "busy", holder: null, ahead: 2 });
    const first = await take(talk, "queue: first");
    expect(first).toMatchObject({ type: "taken", leafId: null });
    const { lease } = first as Extract<LeaseOutcome, { type: "taken" }>;
    const messages = chain(null, [{ text: "first" }]);
    await ada.turns.begin({ ...beginning(talk, { leafId: null, messages, key: "queue: first" }), lease });
    await ada.leases.release(lease);
    expect(await take(talk, "queue: second")).toMatchObject({ type: "taken", leafId: messages[0]!.id });
  });

  it("does not let a turn begin before waiting inputs", async () => {
    const talk = await newTalk(ada);
    await enqueue(talk, "past: waits");
    await ada.leases.release(talk.lease);
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "past: hurried" });
    expect(await ada.turns.begin({ ...turn, lease: { claimant: "hurried" } })).toBeNull();
  });

  it("withdraws a waiting input once, and then forgets its key", async () => {
    const talk = await newTalk(ada);
    await enqueue(talk, "withdrawn");
    await expect(enqueue(talk, "withdrawn")).rejects.toMatchObject({ code: "input_repeated" });
    expect(await ada.inputs.withdraw(talk.conversationId, "withdrawn")).toBe(true);
    expect(await ada.inputs.withdraw(talk.conversationId, "withdrawn")).toBe(false);
    await enqueue(talk, "withdrawn");
  });

  it("passes on abandoned inputs, in order, and informs a sender that returns", async () => {
    const talk = await newTalk(ada);
    await enqueue(talk, "left: 1");
    await enqueue(talk, "left: 2");
    await enqueue(talk, "left: mine");
    await ada.leases.release(talk.lease);
    expect(await ada.inputs.abandoned(talk.conversationId)).toEqual([]);
    await abandon("left: 1");
    await abandon("left: 2");
    const abandoned = await ada.inputs.abandoned(talk.conversationId);
    expect(abandoned).toEqual(
      ["left: 1", "left: 2"].map((key) => ({
        messages: [{ idempotencyKey: key, content: [{ type: "text", text: key }] }],
      })),
    );
    const { lease } = (await take(talk, "left: mine")) as Extract<LeaseOutcome, { type: "taken" }>;
    const messages = chain(null, [{ text: "left: 1" }, { text: "left: 2" }, { text: "left: mine" }]);
    const inputs = messages.map(({ id, text }) => ({ idempotencyKey: text, messageId: id }));
    await ada.turns.begin({ ...beginning(talk, { leafId: null, messages, key: "" }), inputs, lease });
    await ada.leases.release(lease);
    expect(await take(talk, "left: 1")).toEqual({ type: "adopted" });
    expect(await ada.inputs.withdraw(talk.conversationId, "left: 1")).toBe(false);
    await expect(enqueue(talk, "left: 1")).rejects.toMatchObject({ code: "input_repeated" });
    expect(await test.ownerRows("select messages from inputs where idempotency_key like 'left:%'")).toEqual([
      { messages: null },
      { messages: null },
      { messages: null },
    ]);
  });

  it("adopts no input that its sender has withdrawn meanwhile, and writes nothing", async () => {
    const talk = await newTalk(ada);
    for (const key of ["late: 1", "late: 2"]) {
      await enqueue(talk, key);
      await abandon(key);
    }
    expect(await ada.inputs.abandoned(talk.conversationId)).toHaveLength(2);
    expect(await ada.inputs.withdraw(talk.conversationId, "late: 1")).toBe(true);
    const begin = (keys: readonly string[]) => {
      const messages = chain(
        null,
        [...keys, "own"].map((text) => ({ text })),
      );
      const inputs = messages.map(({ id, text }) => ({
        idempotencyKey: text,
        messageId: id,
        isAdopted: keys.includes(text),
      }));
      return ada.turns.begin({ ...beginning(talk, { leafId: null, messages, key: "" }), inputs });
    };
    expect(await begin(["late: 1", "late: 2"])).toBeNull();
    expect(await ada.conversations.find(talk.conversationId)).toMatchObject({ leafId: null });
    expect(await ada.inputs.abandoned(talk.conversationId)).toHaveLength(1);
    expect(await begin(["late: 2"])).not.toBeNull();
    expect(await ada.inputs.abandoned(talk.conversationId)).toEqual([]);
  });

  it("accepts an abandoned input again at its old position", async () => {
    const talk = await newTalk(ada);
    await enqueue(talk, "again: first");
    await enqueue(talk, "again: second");
    await abandon("again: first");
    await enqueue(talk, "again: first");
    await ada.leases.release(talk.lease);
    expect(await take(talk, "again: second")).toEqual({ type: "busy", holder: null, ahead: 1 });
    expect(await take(talk, "again: first")).toMatchObject({ type: "taken" });
  });

  it("refuses an unknown conversation and a key of the wrong length", async () => {
    const talk = await newTalk(ada);
    await expect(enqueue({ ...talk, conversationId: ids.next() }, "k")).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    await expect(enqueue(talk, "")).rejects.toMatchObject({ code: "input_invalid" });
    await expect(enqueue(talk, "k".repeat(201))).rejects.toMatchObject({ code: "input_invalid" });
    expect(await ada.inputs.withdraw("no id", "k")).toBe(false);
    expect(await ada.inputs.abandoned("no id")).toEqual([]);
  });
});

const never = new AbortController().signal;

async function queued({ conversationId }: Talk, key: string) {
  await ada.inputs.enqueue(conversationId, {
    messages: [{ idempotencyKey: key, content: [{ type: "text", text: key }] }],
  });
  return ada.inputs.listen(conversationId, key);
}

/** Listening begins with the first input. */
async function live(call: { readonly isLive: boolean; wait(ms: number, signal: AbortSignal): Promise<void> }) {
  while (!call.isLive) await call.wait(5, never);
}

onServer("directly", "only there do notifications arrive")("the next input", () => {
  it("is called by the release of the lease, and no other one", async () => {
    const talk = await newTalk(ada);
    const [first, second] = [(await queued(talk, "first 船"))!, (await queued(talk, "second"))!];
    await live(first);
    let isSecondCalled = false;
    const other = new AbortController();
    const waiting = second.wait(60_000, other.signal).then(() => (isSecondCalled = true));
    await ada.leases.release(talk.lease);
    await first.wait(60_000, never);
    expect(isSecondCalled).toBe(false);
    other.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    first.end();
    second.end();
  });

  it("is called by the last reply of a turn, and not by an earlier one", async () => {
    const talk = await newTalk(ada);
    const call = (await queued(talk, "only"))!;
    await live(call);
    const message = newMessage({ role: "assistant" });
    await ada.turns.commitReply({ ...talk, message, step: newStep(message.turnId) });
    const next = newMessage({ role: "assistant", parentId: message.id });
    let isCalled = false;
    const waiting = call.wait(60_000, never).then(() => (isCalled = true));
    // Notifications arrive in their order: a call of the first reply would come before this one.
    const marker = ada.inputs.listen(talk.conversationId, "marker")!;
    await test.ownerRows("select pg_notify('palimpsest_calls', $1::text || ' ' || md5('marker'))", [
      talk.conversationId,
    ]);
    await marker.wait(60_000, never);
    marker.end();
    expect(isCalled).toBe(false);
    await ada.turns.commitReply({ ...talk, message: next, step: newStep(next.turnId), releasesLease: true });
    await waiting;
    call.end();
  });
});

onEngine("embedded engine", "a server calls")("an input of the embedded engine", () => {
  it("is not called, so its sender polls", async () => {
    expect(await queued(await newTalk(ada), "key")).toBeNull();
  });
});
