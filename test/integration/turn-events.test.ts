// Turns that belong to the store: started without a reader, read from any process, and joined by their idempotency key.
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { useStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";
import { append } from "../support/scene.ts";
import { until } from "../support/until.ts";

const { test: opened } = useStore();
let names = 0;

/** A model that says `parts`, and after each but the last waits until it is let go on. An abort makes it throw, or end. */
function heldModel(parts: readonly string[], onAbort: "throws" | "ends" = "throws") {
  const holds: (() => void)[] = [];
  const onHold = new Map<number, () => void>();
  let count = 0;
  async function* stream(
    _request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    for (const [at, text] of parts.entries()) {
      yield { type: "text-delta", text };
      if (at === parts.length - 1) break;
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => (onAbort === "ends" ? resolve() : reject(signal.reason)));
        holds.push(resolve);
        count += 1;
        onHold.get(count)?.();
      });
      if (signal?.aborted === true) return;
    }
    yield { type: "end", stopReason: "end", usage: { ...noUsage, inputTokens: 10, outputTokens: 2 } };
  }
  return {
    model: { name: "held", contextWindow: 32_768, stream },
    /** Resolves when the model has waited `times` times. */
    waits: (times: number) =>
      count >= times ? Promise.resolve() : new Promise<void>((resolve) => onHold.set(times, resolve)),
    goOn: () => holds.shift()?.(),
  };
}

/** Opens the agent as another process would: with its own runtime on the same store. */
async function open(name: string, options: RuntimeOptions): Promise<Agent> {
  const runtime = await composeRuntime({ embedder: null, ...options }, { store: opened.store });
  return runtime.agents.open(name, { create: {} });
}

async function twoProcesses(options: RuntimeOptions) {
  names += 1;
  const name = `turns-${names}`;
  return { one: await open(name, options), other: await open(name, options) };
}

const sequences = (events: readonly AgentEvent[]): readonly number[] => events.map(({ sequence }) => sequence);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, at) => at + 1);

const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

describe("a started turn", () => {
  test("runs without a reader, and any process reads its events afterwards", async () => {
    const { one, other } = await twoProcesses({ model: "demo" });
    const turn = await one.start("hello");
    const read = await drain(turn.events());
    expect(read.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn", turnId: turn.id });
    expect(sequences(read)).toEqual(upTo(read.length));
    expect(await drain(other.events(turn.id))).toEqual(read);
    expect(await drain(other.events(turn.id, { after: 2 }))).toEqual(read.slice(2));
    expect(await drain(other.events(turn.id, { after: read.length }))).toEqual([]);
  });

  test("is read while it runs", async () => {
    const held = heldModel(["Hel", "lo, ", "Ada."]);
    const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
    const { id } = await one.start("hello");
    const reading = other.events(id)[Symbol.asyncIterator]();
    await held.waits(1);
    const seen: AgentEvent[] = [];
    while (textOf(seen) === "") seen.push((await reading.next()).value as AgentEvent);
    expect(textOf(seen)).toBe("Hel");
    held.goOn();
    await held.waits(2);
    held.goOn();
    for await (const event of { [Symbol.asyncIterator]: () => reading }) seen.push(event);
    expect(textOf(seen)).toBe("Hello, Ada.");
    expect(sequences(seen)).toEqual(upTo(seen.length));
  });

  test("is stored in the queue while another turn of its process runs", async () => {
    const held = heldModel(["One ", "moment."]);
    const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
    const first = await one.start("first");
    await held.waits(1);
    const second = await one.start("second");
    const rows = await opened.ownerRows(`select status from inputs where turn_id = '${second.id}'`);
    expect(rows).toEqual([{ status: "queued" }]);
    const reading = drain(other.events(second.id));
    held.goOn();
    await drain(first.events());
    await held.waits(2);
    held.goOn();
    expect((await reading).at(-1)).toMatchObject({ type: "turn-end", text: "One moment." });
    expect(one.messages.map(({ text }) => text)).toEqual(["first", "One moment.", "second", "One moment."]);
  });

  test("leaves the queue at once if it is stopped while it waits there, and the next one is answered", async () => {
    const held = heldModel(["One ", "moment."]);
    const { one } = await twoProcesses({ model: "held", models: [held.model] });
    const first = await one.start("first");
    await held.waits(1);
    const stop = new AbortController();
    const second = await one.start("second", { signal: stop.signal });
    stop.abort();
    await until(async () => (await opened.ownerRows(`select from inputs where turn_id = '${second.id}'`)).length === 0);
    const third = await one.start("third");
    held.goOn();
    await held.waits(2);
    held.goOn();
    await drain(third.events());
    expect((await drain(first.events())).at(-1)).toMatchObject({ type: "turn-end", text: "One moment." });
    expect(one.messages.map(({ text }) => text)).toEqual(["first", "One moment.", "third", "One moment."]);
  });

  test("waits behind the turn of another process", async () => {
    const held = heldModel(["One ", "moment."]);
    const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
    await one.start("first");
    await held.waits(1);
    const second = await other.start("second");
    const reading = drain(one.events(second.id));
    held.goOn();
    await held.waits(2);
    held.goOn();
    expect((await reading).at(-1)).toMatchObject({ type: "turn-end", text: "One moment." });
  });

  test("is refused, with nothing written, for a blank message", async () => {
    const { one } = await twoProcesses({ model: "demo" });
    await expect(one.start(" ")).rejects.toMatchObject({ code: "input_invalid" });
    expect(one.messages).toEqual([]);
  });
});

describe("an idempotency key", () => {
  test("that is repeated while its turn runs joins the turn", async () => {
    const held = heldModel(["One ", "moment."]);
    const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
    const { id } = await one.start("hello", { idempotencyKey: "k" });
    await held.waits(1);
    const again = [one.send("hello", { idempotencyKey: "k" }), other.send("hello", { idempotencyKey: "k" })].map(drain);
    expect(await one.start("hello", { idempotencyKey: "k" })).toMatchObject({ id });
    expect(await other.start("hello", { idempotencyKey: "k" })).toMatchObject({ id });
    held.goOn();
    for (const joined of again) {
      const events = (await joined).filter(({ sequence }) => sequence > 0);
      expect(events.at(-1)).toMatchObject({ turnId: id, type: "turn-end", text: "One moment." });
      expect(sequences(events)).toEqual(upTo(events.length));
    }
    expect(one.messages).toHaveLength(2);
  });

  test("that is repeated afterwards reads the events of its turn again", async () => {
    const { one, other } = await twoProcesses({ model: "demo" });
    const first = await drain(one.send("hello", { idempotencyKey: "k" }));
    expect(await drain(one.send("hello", { idempotencyKey: "k" }))).toEqual(first);
    expect(await drain(other.send("hello", { idempotencyKey: "k" }))).toEqual(first);
  });

  test("is refused when the events are not stored", async () => {
    const { one } = await twoProcesses({ model: "demo", keepEventsMinutes: 0 });
    await drain(one.send("hello", { idempotencyKey: "k" }));
    await expect(drain(one.send("hello", { idempotencyKey: "k" }))).rejects.toMatchObject({ code: "input_repeated" });
  });

  test("is refused when its events have expired, or its process ended before it stored the first", async () => {
    const { one } = await twoProcesses({ model: "demo" });
    await drain(one.send("hello", { idempotencyKey: "k" }));
    await drain(one.send("and then?"));
    await opened.store.as(one.userId).events.expire(0);
    await expect(drain(one.send("hello", { idempotencyKey: "k" }))).rejects.toMatchObject({ code: "input_repeated" });
    expect(one.messages).toHaveLength(4);
  });

  test("is refused when the events of the newest turn have expired", async () => {
    const { one } = await twoProcesses({ model: "demo" });
    await drain(one.send("hello", { idempotencyKey: "k" }));
    await opened.store.as(one.userId).events.expire(0);
    await expect(drain(one.send("hello", { idempotencyKey: "k" }))).rejects.toMatchObject({ code: "input_repeated" });
    expect(one.messages).toHaveLength(2);
  });

  test.each([60, 0])(
    "leaves the call that its turn waits for, with events kept for %d minutes",
    async (keepEventsMinutes) => {
      const model = createScriptedModel({ replies: [{ toolCalls: [append("note")] }] });
      const settings = { approvals: ["core_memory_append"], keepEventsMinutes };
      const { one, other } = await twoProcesses({ model: "scripted", models: [model], ...settings });
      const first = await drain(one.send("note it", { idempotencyKey: "k" }));
      for (const agent of [one, other]) {
        const again = drain(agent.send("note it", { idempotencyKey: "k" }));
        if (keepEventsMinutes === 0) await expect(again).rejects.toMatchObject({ code: "input_repeated" });
        else expect(await again).toEqual(first);
        expect(await opened.store.as(one.userId).approvals.waiting(first[0]!.agentId)).toHaveLength(1);
      }
    },
  );
});

test("any process stops the turn that runs, which keeps what was streamed", async () => {
  const held = heldModel(["Half ", "of it."]);
  const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
  expect(await other.stop()).toBe(false);
  const { id } = await one.start("hello");
  await held.waits(1);
  expect(await other.stop()).toBe(true);
  expect((await drain(other.events(id))).at(-1)).toMatchObject({ type: "turn-end", stopReason: "interrupted" });
  expect(one.messages.at(-1)).toMatchObject({ status: "interrupted", text: "Half " });
  expect(await other.stop()).toBe(false);
  const next = drain(one.send("again"));
  await held.waits(2);
  held.goOn();
  held.goOn();
  expect((await next).at(-1)).toMatchObject({ stopReason: "end-turn" });
});

test.each(["throws", "ends"] as const)(
  "a turn that is stopped while its summarizer works ends, with the window unchanged (the summarizer %s)",
  async (onAbort) => {
    const chat = createScriptedModel({ replies: () => ({ text: "ok" }) });
    const held = heldModel(["Half ", "a summary."], onAbort);
    const compaction = { summarizer: "held", compactMessages: 4, keepLast: 2 };
    const { one, other } = await twoProcesses({ model: "scripted", models: [chat, held.model], ...compaction });
    for (const text of ["first", "second"]) await drain(one.send(text));
    const { id } = await one.start("third");
    await held.waits(1);
    expect(await other.stop()).toBe(true);
    expect((await drain(other.events(id))).at(-1)).toMatchObject({ type: "turn-end", stopReason: "interrupted" });
    expect(one.messages.map(({ text }) => text)).toEqual(["first", "ok", "second", "ok", "third", ""]);
    expect([one.unfinished, await one.compactions(), chat.requests.length]).toEqual([false, [], 2]);
  },
);

test("the numbers of a turn continue through its approval, in another process", async () => {
  const model = () => createScriptedModel({ replies: [{ toolCalls: [append("note")] }, { text: "Noted." }] });
  names += 1;
  const settings = { approvals: ["core_memory_append"] };
  const one = await open(`turns-${names}`, { model: "scripted", models: [model()], ...settings });
  const asked = await drain(one.send("note it"));
  const { turnId } = asked[0] as AgentEvent;
  expect(asked.at(-1)).toMatchObject({ type: "turn-end", stopReason: "awaiting-approval", sequence: asked.length });
  const replies = createScriptedModel({ replies: [{ text: "Noted." }] });
  const other = await open(`turns-${names}`, { model: "scripted", models: [replies], ...settings });
  const decided = await drain(other.approve("call_1_1"));
  expect(decided.at(-1)).toMatchObject({ text: "Noted.", turnId });
  const all = await drain(one.events(turnId));
  expect(all).toEqual([...asked, ...decided]);
  expect(sequences(all)).toEqual(upTo(all.length));
});

test("a turn that ends with an error of its model stores its end", async () => {
  const model = createScriptedModel({ replies: [{ text: "half of a reply", cutAfter: 1 }] });
  const { one, other } = await twoProcesses({ model: "scripted", models: [model] });
  const events = await drain(one.send("hello"));
  const { turnId } = events[0] as AgentEvent;
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "model-error" });
  expect(await drain(other.events(turnId))).toEqual(events);
});

test("a turn that nobody has, or whose events are not stored, is not found", async () => {
  const { one } = await twoProcesses({ model: "demo" });
  for (const id of ["0190a7a0-0000-7000-8000-000000000000", "nonsense"]) {
    await expect(drain(one.events(id))).rejects.toMatchObject({ code: "turn_not_found" });
  }
});

test("expired events are deleted, except those of a turn that waits for approval", async () => {
  const model = createScriptedModel({ replies: [{ text: "Hello." }, { toolCalls: [append("note")] }] });
  const { one } = await twoProcesses({ model: "scripted", models: [model], approvals: ["core_memory_append"] });
  const [done] = await drain(one.send("hello"));
  const [waiting] = await drain(one.send("note it"));
  const { events } = opened.store.as(one.userId);
  await events.expire(0);
  await expect(drain(one.events(done!.turnId))).rejects.toMatchObject({ code: "turn_not_found" });
  expect((await drain(one.events(waiting!.turnId))).at(-1)).toMatchObject({ stopReason: "awaiting-approval" });
});

test("the newest turn and one that was queued are not found once their events have expired", async () => {
  const held = heldModel(["One ", "moment."]);
  const { one } = await twoProcesses({ model: "held", models: [held.model] });
  const first = await one.start("first");
  await held.waits(1);
  const second = await one.start("second");
  const third = await one.start("third");
  for (const waits of [2, 3]) {
    held.goOn();
    await held.waits(waits);
  }
  held.goOn();
  expect((await drain(third.events())).at(-1)).toMatchObject({ type: "turn-end" });
  await opened.store.as(one.userId).events.expire(0);
  for (const { id } of [first, second, third])
    await expect(drain(one.events(id))).rejects.toMatchObject({ code: "turn_not_found" });
});

test("a process that stores no events leaves those that others have stored", async () => {
  names += 1;
  const one = await open(`turns-${names}`, { model: "demo" });
  const events = await drain(one.send("hello"));
  const other = await composeRuntime({ embedder: null, model: "demo", keepEventsMinutes: 0 }, { store: opened.store });
  await other.agents.open(`turns-${names}`);
  await other.idle();
  expect(await drain(one.events(events[0]!.turnId))).toEqual(events);
});

test("reading ends when its signal is aborted, and the turn goes on", async () => {
  const held = heldModel(["One ", "moment."]);
  const { one, other } = await twoProcesses({ model: "held", models: [held.model] });
  const { id } = await one.start("hello");
  await held.waits(1);
  const stop = new AbortController();
  const reading = drain(other.events(id, { signal: stop.signal }));
  stop.abort(new Error("The browser left."));
  await expect(reading).rejects.toThrow("The browser left.");
  held.goOn();
  expect((await drain(one.events(id))).at(-1)).toMatchObject({ type: "turn-end", text: "One moment." });
});

test("a started turn that its process cannot run stays in the queue, and is answered by the next one", async () => {
  const held = heldModel(["One ", "moment."]);
  names += 1;
  const runtime = await composeRuntime(
    { embedder: null, model: "held", models: [held.model] },
    { store: opened.store },
  );
  const one = await runtime.agents.open(`turns-${names}`, { create: {} });
  await one.start("first");
  await held.waits(1);
  const second = await one.start("second");
  // The first turn is held until it is interrupted, so the second cannot begin before that.
  await runtime.close({ graceMs: 0 });
  const rows = await opened.ownerRows(`select status from inputs where turn_id = '${second.id}'`);
  expect(rows).toEqual([{ status: "queued" }]);
  await opened.ownerRows(`update inputs set waits_until = now() where turn_id = '${second.id}' and status = 'queued'`);
  const other = await open(`turns-${names}`, { model: "held", models: [heldModel(["Answered."]).model] });
  await drain(other.send("third"));
  expect(other.messages.map(({ text }) => text)).toEqual(expect.arrayContaining(["first", "second", "third"]));
});
