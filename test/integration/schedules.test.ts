// Scheduled messages: each due time begins one turn, whichever process fires it, and the policies hold.
import type { Agent } from "../../src/agent/agent.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ScheduleRun } from "../../src/store/port/schedule-store.ts";
import type { Store } from "../../src/store/port/store.ts";
import { StoreError } from "../../src/base/errors.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ScheduleOptions } from "../../src/runtime/schedules/contract.ts";
import { useStore } from "../support/database.ts";
import { createManualClock, type ManualClock, settle } from "../support/manual-clock.ts";
import { drain } from "../support/runtime.ts";
import { append } from "../support/scene.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const { test: opened } = useStore();
let clock: ManualClock;
let names = 0;
let runtimes: Runtime[] = [];

beforeEach(() => {
  clock = createManualClock();
  names += 1;
});
afterEach(async () => {
  const used = runtimes;
  runtimes = [];
  // The clock stands still, so that a grace period would never end.
  await Promise.all(used.map((runtime) => runtime.close({ graceMs: 0 })));
});

/** The user's runtime, as another process has it. */
async function openProcess(options: RuntimeOptions = {}, store = opened.store): Promise<Runtime> {
  const own = { embedder: null, model: "demo", userId: `user-${names}`, timeZone: "UTC", clock };
  const runtime = await composeRuntime({ ...own, ...options }, { store });
  runtimes.push(runtime);
  return runtime;
}

const openAgent = async (runtime: Runtime): Promise<Agent> => runtime.agents.open("main", { create: {} });

/** A process with a schedule that is due at 1:00, an hour after the clock's start. */
async function scene(schedule: Partial<ScheduleOptions> = {}, options: RuntimeOptions = {}) {
  const runtime = await openProcess(options);
  const agent = await openAgent(runtime);
  const { id } = await runtime.schedules.create("main", { text: "Good morning", cron: "0 1 * * *", ...schedule });
  return { runtime, agent, id, runs: () => runtime.schedules.runs(id) };
}

async function fire(runtime: Runtime): Promise<number> {
  const { fired } = await runtime.schedules.fire();
  await runtime.idle();
  return fired;
}

/** What the user's messages of the agent's last conversation say. */
async function said(runtime: Runtime): Promise<readonly string[]> {
  const { messages } = await openAgent(runtime);
  return messages.filter(({ role, kind }) => role === "user" && kind === "message").map(({ text }) => text);
}

/** A model that begins to answer and then waits until it is let go on. */
function heldModel() {
  const [gate, waiting] = [deferred(), deferred()];
  return {
    /** Resolves when the model has begun. */
    waits: waiting.promise,
    model: {
      name: "held",
      contextWindow: 32_768,
      async *stream(_request: ModelRequest, { signal }: { readonly signal?: AbortSignal }) {
        yield { type: "text-delta", text: "One " } as const;
        signal?.addEventListener("abort", gate.resolve, { once: true });
        waiting.resolve();
        await gate.promise;
        signal?.throwIfAborted();
        yield { type: "end", stopReason: "end", usage: { ...noUsage, inputTokens: 1, outputTokens: 1 } } as const;
      },
    },
    goOn: () => gate.resolve(),
  };
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("a due time", () => {
  test("begins a turn, once, and its run says what came of it", async () => {
    const { runtime, agent, runs } = await scene();
    expect(await fire(runtime)).toBe(0);
    await clock.advance(hourMs);
    expect(await fire(runtime)).toBe(1);
    expect(await fire(runtime)).toBe(0);
    const [run, ...others] = await runs();
    expect(others).toEqual([]);
    expect(run).toMatchObject({ status: "ended", outcome: "end-turn", conversationId: agent.conversationId });
    expect(run?.dueAt.toISOString()).toBe("2026-01-01T01:00:00.000Z");
    expect((await drain(agent.events(run?.turnId ?? ""))).at(-1)).toMatchObject({ type: "turn-end" });
    expect(await said(runtime)).toEqual(["Good morning"]);
    const [schedule] = await runtime.schedules.list("main");
    expect(schedule?.nextAt?.toISOString()).toBe("2026-01-02T01:00:00.000Z");
  });

  test("begins one turn, however many processes fire it at once", async () => {
    const { runtime } = await scene();
    const processes = [runtime, await openProcess(), await openProcess(), await openProcess()];
    for (let day = 1; day <= 5; day += 1) {
      await clock.advance(day === 1 ? hourMs : 24 * hourMs);
      const fired = await Promise.all(processes.map(fire));
      expect(fired.reduce((sum, count) => sum + count)).toBe(1);
    }
    expect(await said(runtime)).toHaveLength(5);
  });

  test("of a single time comes once", async () => {
    const at = new Date("2026-01-01T01:00:00Z");
    const { runtime, runs } = await scene({ cron: undefined as never, at });
    await clock.advance(hourMs);
    expect(await fire(runtime)).toBe(1);
    expect(await runtime.schedules.list("main")).toMatchObject([{ nextAt: null, isEnabled: true }]);
    await clock.advance(1000 * hourMs);
    expect(await fire(runtime)).toBe(0);
    expect(await runs()).toHaveLength(1);
  });

  test("starts a new conversation each time, if wanted", async () => {
    const { runtime, agent, runs } = await scene({ conversation: "new" });
    await clock.advance(hourMs);
    await fire(runtime);
    await clock.advance(24 * hourMs);
    await fire(runtime);
    const conversations = (await runs()).map(({ conversationId }) => conversationId);
    expect(new Set([...conversations, agent.conversationId]).size).toBe(3);
  });

  test("sends what a forgetting has left of the text, although it was read before", async () => {
    const { runtime } = await scene({ text: "Call Karin Dahl at nine" });
    const as: Store["as"] = (userId) => {
      const user = opened.store.as(userId);
      const advance: typeof user.schedules.advance = async (...given) => {
        const isFirst = await user.schedules.advance(...given);
        await runtime.forget.apply({ texts: ["Karin Dahl"] });
        return isFirst;
      };
      return { ...user, schedules: { ...user.schedules, advance } };
    };
    await clock.advance(hourMs);
    expect(await fire(await openProcess({}, { ...opened.store, as }))).toBe(1);
    expect(await said(runtime)).toEqual(["Call [forgotten] at nine"]);
  });

  test("that cannot be sent says why, and the next one is tried again", async () => {
    const { runtime, runs } = await scene();
    await runtime.agents.update("main", { baseUrl: null });
    await opened.ownerRows("update agents set model = 'openai/gpt-5.1' where user_id = $1", [runtime.userId]);
    await clock.advance(hourMs);
    await fire(runtime);
    expect(await runs()).toMatchObject([{ status: "failed", outcome: "config_invalid", turnId: null }]);
    await opened.ownerRows("update agents set model = 'demo' where user_id = $1", [runtime.userId]);
    await clock.advance(24 * hourMs);
    await fire(runtime);
    expect(await runs()).toMatchObject([{ status: "ended" }, { status: "failed" }]);
  });

  test.each([
    ["the store fails", new StoreError("store_timeout", "too slow"), 0],
    ["it cannot be fired", new RangeError("no such zone"), 1],
  ])("is sent, although at the next schedule %s", async (_what, fault, logged) => {
    const { runtime, runs } = await scene({ onMissed: "skip" });
    const second = await runtime.schedules.create("main", { text: "Good night", cron: "1 1 * * *" });
    const as: Store["as"] = (userId) => {
      const user = opened.store.as(userId);
      const advance: typeof user.schedules.advance = async (id, ...given) =>
        id === second.id ? Promise.reject(fault) : user.schedules.advance(id, ...given);
      return { ...user, schedules: { ...user.schedules, advance } };
    };
    const lines: string[] = [];
    const failing = await openProcess({ log: (line) => lines.push(line) }, { ...opened.store, as });
    await clock.advance(hourMs + minuteMs);
    expect(await fire(failing).catch((error: unknown) => error)).toBe(logged === 1 ? 1 : fault);
    await failing.idle();
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "end-turn" }]);
    expect(lines.filter((line) => line.includes(`${second.id} was not fired`))).toHaveLength(logged);
    expect(await fire(runtime)).toBe(1);
  });

  test("does not deny a call that waits for approval", async () => {
    const model = createScriptedModel({ replies: [{ toolCalls: [append("note")] }] });
    const options = { model: "scripted", models: [model], approvals: ["core_memory_append"] };
    const { runtime, agent, runs } = await scene({}, options);
    await drain(agent.send("note it"));
    await clock.advance(hourMs);
    await fire(runtime);
    expect(await runs()).toMatchObject([{ status: "skipped", outcome: "approval" }]);
    expect(await runtime.approvals.list("main")).toHaveLength(1);
  });
});

describe("a process that dies", () => {
  const dueAt = new Date("2026-01-01T01:00:00Z");
  const lost = "0190a7a0-0000-7000-8000-000000000000";

  /** Claims the due time as a process that then dies. */
  async function claimAndDie({ runtime, id }: { readonly runtime: Runtime; readonly id: string }) {
    await clock.advance(hourMs);
    const { schedules } = opened.store.as(runtime.userId);
    const until = new Date(clock.now().getTime() + minuteMs);
    const run = { status: "running", outcome: null, claim: lost, until } as const;
    await schedules.advance(id, { from: dueAt, to: new Date("2026-01-02T01:00:00Z"), run });
    return { schedules, claim: { scheduleId: id, dueAt, claim: lost } };
  }

  test("before it sends leaves the message to another one, once its claim has lapsed", async () => {
    const { runtime, id, runs } = await scene();
    await claimAndDie({ runtime, id });
    expect(await fire(runtime)).toBe(0);
    expect(await runs()).toMatchObject([{ status: "running" }]);
    await clock.advance(minuteMs);
    expect((await Promise.all([runtime, await openProcess()].map(fire))).toSorted()).toEqual([0, 1]);
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "end-turn" }]);
    expect(await said(runtime)).toEqual(["Good morning"]);
  });

  test.each([
    ["was disabled meanwhile", {}, { isEnabled: false }, "missed"],
    ["skips what was missed", { onMissed: "skip" }, {}, "missed"],
    [
      "skips what is due in the quiet hours that have begun",
      { quietHours: "01:01-07:00", onQuiet: "skip" },
      {},
      "quiet",
    ],
    ["has its next message at their end", { quietHours: "01:01-07:00" }, { cron: "0 7 * * *" }, "quiet"],
  ] as const)("before it sends leaves nothing to send if the schedule %s", async (_what, options, change, outcome) => {
    const { runtime, agent, id, runs } = await scene(options);
    const { schedules, claim } = await claimAndDie({ runtime, id });
    const { conversationId } = agent;
    await schedules.record(claim, { conversationId });
    const key = { idempotencyKey: `schedule ${id} ${dueAt.toISOString()}` };
    const messages = [{ ...key, content: [{ type: "text" as const, text: "Good morning" }] }];
    const queued = { ...key, turnId: lost, messages, createdAt: clock.now() };
    await opened.store.as(runtime.userId).inputs.enqueue(conversationId, queued as never);
    await runtime.schedules.update(id, change);
    await clock.advance(minuteMs + 1);
    const seen: ScheduleRun[] = [];
    expect(await runtime.schedules.fire({ onRun: (run) => seen.push(run) })).toMatchObject({ fired: 0 });
    await runtime.idle();
    expect(await runs()).toMatchObject([{ status: "skipped", outcome }]);
    expect(seen).toEqual(await runs());
    await drain(agent.send("Hi"));
    expect(await said(runtime)).toEqual(["Hi"]);
  });

  test("before it sends leaves the message for the end of the quiet hours that have begun", async () => {
    const { runtime, id, runs } = await scene({ quietHours: "01:01-07:00" });
    await claimAndDie({ runtime, id });
    await clock.advance(minuteMs + 1);
    expect(await fire(runtime)).toBe(0);
    await clock.advance(5 * hourMs + 58 * minuteMs);
    expect(await fire(runtime)).toBe(0);
    await clock.advance(minuteMs);
    expect(await fire(runtime)).toBe(1);
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "end-turn" }]);
    expect(await said(runtime)).toEqual(["Good morning"]);
  });

  test("after it has sent adds no second message", async () => {
    const { runtime, agent, id, runs } = await scene();
    const { schedules, claim } = await claimAndDie({ runtime, id });
    await schedules.record(claim, { conversationId: agent.conversationId });
    await drain(agent.send("Good morning", { idempotencyKey: `schedule ${id} ${dueAt.toISOString()}` }));
    await clock.advance(minuteMs);
    expect(await fire(runtime)).toBe(1);
    const turnId = agent.messages[0]?.turnId ?? "";
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "end-turn", turnId }]);
    expect(await said(runtime)).toEqual(["Good morning"]);
  });

  test("and comes back changes nothing of a run that another one has taken over", async () => {
    const { runtime, id, runs } = await scene();
    const { schedules, claim } = await claimAndDie({ runtime, id });
    const now = clock.now();
    const other = { ...claim, claim: "0190a7a0-0000-7000-8000-000000000001" };
    expect(await schedules.takeOver(other, { now, until: now })).toBe(false);
    await clock.advance(minuteMs);
    const taken = { now: clock.now(), until: new Date(clock.now().getTime() + minuteMs) };
    expect(await schedules.takeOver(other, taken)).toBe(true);
    expect(await schedules.record(claim, { status: "failed", outcome: "late" })).toBe(false);
    expect(await runs()).toMatchObject([{ status: "running" }]);
    expect(await schedules.record(other, { status: "ended", outcome: "end-turn" })).toBe(true);
    expect(await schedules.record(other, { status: "failed", outcome: "late" })).toBe(false);
    expect(await runs()).toMatchObject([{ status: "ended" }]);
  });

  test("before the reply hands the turn over", async () => {
    const model = createScriptedModel({ replies: [{ text: "half of a reply", cutAfter: 0 }, { text: "Whole." }] });
    const { runtime, agent, id, runs } = await scene({}, { model: "scripted", models: [model], keepEventsMinutes: 0 });
    const { schedules, claim } = await claimAndDie({ runtime, id });
    await schedules.record(claim, { conversationId: agent.conversationId });
    await drain(agent.send("Good morning", { idempotencyKey: `schedule ${id} ${dueAt.toISOString()}` }));
    expect(agent.unfinished).toBe(true);
    await clock.advance(minuteMs);
    expect(await fire(runtime)).toBe(1);
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "end-turn" }]);
    expect(await said(runtime)).toEqual(["Good morning"]);
    expect((await openAgent(runtime)).messages.at(-1)?.text).toBe("Whole.");
  });

  test("while its turn waits for approval leaves the call to the user", async () => {
    const model = createScriptedModel({ replies: [{ toolCalls: [append("note")] }] });
    const options = { model: "scripted", models: [model], approvals: ["core_memory_append"] };
    const { runtime, agent, id, runs } = await scene({}, options);
    const { schedules, claim } = await claimAndDie({ runtime, id });
    await schedules.record(claim, { conversationId: agent.conversationId });
    await drain(agent.send("Good morning", { idempotencyKey: `schedule ${id} ${dueAt.toISOString()}` }));
    await clock.advance(minuteMs);
    expect(await fire(runtime)).toBe(1);
    expect(await runs()).toMatchObject([{ status: "ended", outcome: "awaiting-approval" }]);
    expect(await runtime.approvals.list("main")).toHaveLength(1);
  });

  test("in order hands the turn over, too", async () => {
    const held = heldModel();
    const { runtime, id } = await scene({}, { model: "held", models: [held.model] });
    await clock.advance(hourMs);
    await runtime.schedules.fire();
    await started(runtime, id);
    await held.waits;
    await runtime.close({ graceMs: 0 });
    const other = await openProcess({
      model: "held",
      models: [createScriptedModel({ name: "held", replies: [{ text: "Whole." }] })],
    });
    expect(await other.schedules.runs(id)).toMatchObject([{ status: "running" }]);
    await clock.advance(minuteMs);
    expect(await fire(other)).toBe(1);
    expect(await other.schedules.runs(id)).toMatchObject([{ status: "ended", outcome: "end-turn" }]);
    expect(await said(other)).toEqual(["Good morning"]);
  });
});

/** Resolves when the turn of the schedule's run has begun. */
async function started(runtime: Runtime, id: string): Promise<void> {
  for (let run: ScheduleRun | undefined; (run?.turnId ?? null) === null; ) [run] = await runtime.schedules.runs(id);
}

describe("a busy conversation", () => {
  test.each([
    ["wait", { status: "ended", outcome: "end-turn" }, ["first", "Good morning"]],
    ["skip", { status: "skipped", outcome: "busy", turnId: null }, ["first"]],
  ] as const)("with the policy %s", async (onBusy, expected, texts) => {
    const held = heldModel();
    const { runtime, agent, id, runs } = await scene({ onBusy }, { model: "held", models: [held.model] });
    const first = await agent.start("first");
    await clock.advance(hourMs);
    await runtime.schedules.fire();
    if (onBusy === "wait") await started(runtime, id);
    else await settledRun(runs);
    held.goOn();
    await drain(first.events());
    await runtime.idle();
    expect(await runs()).toMatchObject([expected]);
    expect(await said(runtime)).toEqual(texts);
  });
});

async function settledRun(runs: () => Promise<readonly ScheduleRun[]>): Promise<void> {
  while ((await runs())[0]?.status === "running") await settle();
}

describe("what was missed", () => {
  test("is sent once, however many due times have passed", async () => {
    const { runtime, runs } = await scene();
    await clock.advance(100 * hourMs);
    expect(await fire(runtime)).toBe(1);
    expect(await fire(runtime)).toBe(0);
    expect(await runs()).toMatchObject([{ status: "ended", dueAt: new Date("2026-01-01T01:00:00Z") }]);
  });

  test("is skipped, if wanted", async () => {
    const { runtime, runs } = await scene({ onMissed: "skip" });
    const seen: ScheduleRun[] = [];
    await clock.advance(100 * hourMs);
    await runtime.schedules.fire({ onRun: (run) => seen.push(run) });
    expect(await runs()).toMatchObject([{ status: "skipped", outcome: "missed" }]);
    expect(seen).toMatchObject([{ status: "skipped", outcome: "missed" }]);
    expect(await said(runtime)).toEqual([]);
  });

  test.each([
    ["delay", [], "2026-01-02T07:00:00.000Z"],
    ["skip", [{ status: "skipped", outcome: "quiet" }], "2026-01-02T12:00:00.000Z"],
  ] as const)("waits in the quiet hours, with the policy %s", async (onQuiet, expected, nextAt) => {
    const { runtime, runs } = await scene({ cron: "0 12 * * *", quietHours: "22:00-07:00", onQuiet });
    await clock.advance(23 * hourMs);
    const fired = await runtime.schedules.fire();
    expect(fired).toMatchObject({ fired: 0, nextAt: new Date(nextAt) });
    expect(await runs()).toMatchObject(expected);
    await clock.advance(new Date(nextAt).getTime() - clock.now().getTime());
    expect(await fire(runtime)).toBe(1);
  });
});

describe("a runner", () => {
  test("fires what is due, looks at least every ten seconds, and stops with its signal", async () => {
    const { runtime, runs } = await scene();
    const stop = new AbortController();
    const done = deferred();
    const running = runtime.schedules.run({ signal: stop.signal, onRun: () => done.resolve() });
    const asleep = async () => {
      const before = clock.waits.length;
      while (clock.waits.length === before) await settle();
    };
    await asleep();
    expect(clock.waits.at(-1)).toBe(10_000);
    expect(await runtime.schedules.lastPolledAt()).toEqual(clock.now());
    await clock.advance(hourMs - 4000);
    await asleep();
    expect(clock.waits.at(-1)).toBe(4000);
    await clock.advance(4000);
    await done.promise;
    stop.abort();
    await running;
    expect(await runs()).toMatchObject([{ status: "ended" }]);
  });

  test("ends when its runtime is closed", async () => {
    const { runtime } = await scene();
    const running = runtime.schedules.run();
    await runtime.close();
    await running;
  });
});
