// Who is called when a lease is released: the next input of the queue. On a server; the embedded engine is polled.
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { onEngine, onServer } from "../support/on-engine.ts";
import { newMessage, newStep, newTalk, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const test = useScene(() => openTestStore());
let ada: UserStore;

beforeAll(async () => {
  ada = test.store.as("ada");
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
