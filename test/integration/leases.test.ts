// Two agents on one conversation, like two processes: turns run one after the other, none is lost, no write is stale.
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Store, UserStore } from "../../src/store/port/store.ts";
import { queueKeyOf } from "../../src/store/port/turn-store.ts";
import { useStore } from "../support/database.ts";
import { withoutTimes } from "../support/messages.ts";
import { drain, lastOf } from "../support/runtime.ts";

const { test: opened } = useStore();
let runtime: Runtime;
let model: HeldModel;
let names = 0;

beforeEach(async () => {
  model = createHeldModel();
  runtime = await composeRuntime({ model: "held", models: [model], embedder: null }, { store: opened.store });
});

interface HeldModel extends Model {
  /** Makes calls wait until `letGo`; resolves when the first of them waits. */
  hold(): Promise<void>;
  letGo(): void;
}

/** Answers with the last message; can be held up, and then heeds the signal alone. */
function createHeldModel(): HeldModel {
  let gate = Promise.resolve();
  let letGo = (): void => undefined;
  let onHeld = (): void => undefined;
  return {
    name: "held",
    contextWindow: 100_000,
    hold() {
      gate = new Promise((resolve) => {
        letGo = resolve;
      });
      return new Promise((resolve) => {
        onHeld = resolve;
      });
    },
    letGo: () => letGo(),
    async *stream(request, { signal } = {}) {
      onHeld();
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      await Promise.race([gate, aborted]);
      const [part] = request.messages.at(-1)?.content ?? [];
      yield { type: "text-delta", text: `You said: ${part?.type === "text" ? withoutTimes(part.text) : ""}` };
      yield { type: "end", stopReason: "end", usage: noUsage };
    },
  };
}

async function twoAgents(): Promise<readonly [one: Agent, other: Agent]> {
  names += 1;
  const one = await runtime.agents.open(`shared-${names}`, { create: {} });
  const other = await runtime.agents.open(`shared-${names}`, { conversation: { id: one.conversationId } });
  return [one, other];
}

/** An agent whose lease holds for one second, and how to open another one on its conversation. */
async function openWithShortLease(): Promise<{ readonly one: Agent; readonly open: () => Promise<Agent> }> {
  const quick = await composeRuntime(
    { model: "held", models: [model], embedder: null, leaseSeconds: 1 },
    { store: opened.store },
  );
  names += 1;
  const name = `shared-${names}`;
  const one = await quick.agents.open(name, { create: {} });
  return { one, open: () => quick.agents.open(name, { conversation: { id: one.conversationId } }) };
}

const storedTexts = async ({ conversationId }: Agent): Promise<readonly string[]> =>
  (await opened.store.as("local").conversations.thread(conversationId)).messages.map(({ text }) => text);

test("turns that are sent at once run one after the other, and each sees the previous one", async () => {
  const [one, other] = await twoAgents();
  const ends = await Promise.all(
    ["a", "b", "c", "d", "e", "f"].map((text, at) => lastOf((at % 2 === 0 ? one : other).send(text))),
  );
  expect(ends.map(({ stopReason }) => stopReason)).toEqual(Array.from({ length: 6 }, () => "end-turn"));
  const texts = await storedTexts(one);
  expect(texts.filter((_, at) => at % 2 === 1)).toEqual(
    texts.filter((_, at) => at % 2 === 0).map((text) => `You said: ${text}`),
  );
  expect(texts.filter((_, at) => at % 2 === 0).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("a waiting input reports the holder, is in the queue, and is answered in its turn", async () => {
  const [one, other] = await twoAgents();
  const held = model.hold();
  const first = drain(one.send("first"));
  await held;
  const waiting = other.send("second", { idempotencyKey: "the second" });
  const queued = (await waiting.next()).value as AgentEvent;
  expect(queued).toMatchObject({ type: "turn-queued", holder: expect.stringContaining(`process ${process.pid} on `) });
  const second = drain(waiting);
  model.letGo();
  await first;
  const events = await second;
  expect(events[0]).toMatchObject({ type: "turn-start", turnId: queued.turnId, sequence: 1 });
  expect(await storedTexts(one)).toEqual(["first", "You said: first", "second", "You said: second"]);
  expect(await drain(one.send("again", { idempotencyKey: "the second" }))).toEqual(events);
});

test("an input that waits too long is withdrawn, and the error names the holder", async () => {
  const [one, other] = await twoAgents();
  const held = model.hold();
  const first = drain(one.send("first"));
  await held;
  const sent = drain(other.send("second", { waitMs: 60, idempotencyKey: "second" }));
  await expect(sent).rejects.toMatchObject({
    code: "agent_busy",
    message: expect.stringMatching(
      new RegExp(`process ${process.pid} on .* runs a turn in it\\. Waited 0\\.06 s`, "u"),
    ),
  });
  for (const change of [other.retry({ waitMs: 0 }), other.resume({ waitMs: 0 })]) {
    await expect(drain(change)).rejects.toMatchObject({ code: "agent_busy" });
  }
  model.letGo();
  await first;
  expect(await storedTexts(one)).toEqual(["first", "You said: first"]);
  await drain(other.send("second", { idempotencyKey: "second" }));
  expect(await storedTexts(one)).toEqual(["first", "You said: first", "second", "You said: second"]);
});

test("waiting can be interrupted, and leaves nothing behind", async () => {
  const [one, other] = await twoAgents();
  const held = model.hold();
  const first = drain(one.send("first"));
  await held;
  const interruption = new AbortController();
  const waiting = other.send("second", { signal: interruption.signal });
  await waiting.next();
  const second = drain(waiting);
  interruption.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  model.letGo();
  await first;
  expect(await opened.ownerRows("select * from inputs where status = 'queued'")).toEqual([]);
  expect(await storedTexts(one)).toEqual(["first", "You said: first"]);
});

test("the sender of a waiting input that is forgotten learns that nothing was written", async () => {
  const [one, other] = await twoAgents();
  const held = model.hold();
  const first = drain(one.send("first")).catch((error: { readonly code: string }) => error.code);
  await held;
  const waiting = other.send("The locker is QX-4711.");
  await waiting.next();
  const refused = drain(waiting).catch((error: unknown) => error);
  await runtime.forget.apply({ texts: ["QX-4711"] });
  expect(await refused).toMatchObject({
    code: "input_forgotten",
    message: expect.stringMatching(/forgotten.*Nothing was written/u),
  });
  model.letGo();
  expect(await first).toBe("lease_lost");
  expect(await storedTexts(one)).toEqual(["first"]);
});

test("the sender of a waiting input learns that its conversation was deleted", async () => {
  const [one, other] = await twoAgents();
  const held = model.hold();
  const first = drain(one.send("first")).catch((error: unknown) => error);
  await held;
  const waiting = other.send("second");
  await waiting.next();
  const refused = drain(waiting).catch((error: unknown) => error);
  await runtime.conversations.delete(one.conversationId);
  expect(await refused).toMatchObject({ code: "conversation_not_found" });
  model.letGo();
  expect(await first).toBeInstanceOf(Error);
});

test("an abandoned input is answered with the next message", async () => {
  const [one, other] = await twoAgents();
  const { inputs } = opened.store.as("local");
  await inputs.enqueue(one.conversationId, {
    messages: [{ idempotencyKey: "left", content: [{ type: "text", text: "left behind" }] }],
  });
  await opened.ownerRows("update inputs set waits_until = now() - interval '1 second' where idempotency_key = 'left'");
  const events = await drain(other.send("and mine"));
  expect(events[1]).toMatchObject({ type: "warning", code: "inputs-recovered" });
  expect(await storedTexts(one)).toEqual(["left behind", "and mine", "You said: and mine"]);
});

test("an abandoned input is answered by resume", async () => {
  const [one] = await twoAgents();
  const { inputs } = opened.store.as("local");
  await inputs.enqueue(one.conversationId, {
    messages: [{ idempotencyKey: "alone", content: [{ type: "text", text: "anybody?" }] }],
  });
  await opened.ownerRows("update inputs set waits_until = now() - interval '1 second' where idempotency_key = 'alone'");
  await drain(one.resume());
  expect(await storedTexts(one)).toEqual(["anybody?", "You said: anybody?"]);
});

test("an abandoned input that its sender withdraws while a turn opens does not become a message", async () => {
  const left = { messages: [{ idempotencyKey: "late", content: [{ type: "text", text: "too late" }] }] } as const;
  const withdrawing = (user: UserStore): UserStore => ({
    ...user,
    inputs: {
      ...user.inputs,
      async abandoned(conversationId) {
        const found = await user.inputs.abandoned(conversationId);
        for (const input of found) await user.inputs.withdraw(conversationId, queueKeyOf(input));
        return found;
      },
    },
  });
  const store: Store = { ...opened.store, as: (userId) => withdrawing(opened.store.as(userId)) };
  const other = await composeRuntime({ model: "held", models: [model], embedder: null }, { store });
  const agent = await other.agents.open("withdrawn", { create: {} });
  const leave = async () => {
    await opened.store.as("local").inputs.enqueue(agent.conversationId, left);
    await opened.ownerRows("update inputs set waits_until = now() where idempotency_key = 'late'");
  };
  await leave();
  await drain(agent.send("mine"));
  expect(await storedTexts(agent)).toEqual(["mine", "You said: mine"]);
  await leave();
  await expect(drain(agent.resume())).rejects.toMatchObject({ code: "nothing_to_resume" });
  expect(await storedTexts(agent)).toEqual(["mine", "You said: mine"]);
});

test("a turn whose lease was taken over ends with an error, and writes nothing more", async () => {
  const { open, one } = await openWithShortLease();
  const held = model.hold();
  const first = drain(one.send("first"));
  const ended = first.catch((error: { readonly code: string }) => error.code);
  await held;
  // As if this process had stood still for longer than its lease, and another had taken it: a renewal must not come before.
  const taken = "lease_fence = lease_fence + 1, lease_expires_at = now() - interval '1 second'";
  await opened.ownerRows(`update conversations set ${taken}`);
  const other = await open();
  const taking = drain(other.send("second"));
  // The renewal finds out, without the model's ever answering.
  expect(await ended).toBe("lease_lost");
  model.letGo();
  await taking;
  expect(await storedTexts(one)).toEqual(["first", "second", "You said: second"]);
  await drain(one.send("third"));
  expect((await storedTexts(one)).slice(3)).toEqual(["third", "You said: third"]);
});

test("a long turn keeps its lease", async () => {
  const { open, one } = await openWithShortLease();
  const other = await open();
  const held = model.hold();
  const first = drain(one.send("first"));
  await held;
  const sent = drain(other.send("second", { waitMs: 1800 }));
  await expect(sent).rejects.toMatchObject({ code: "agent_busy" });
  model.letGo();
  await first;
});
