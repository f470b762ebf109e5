// Turns as records: their state while they run, wait and end, also for a process that was killed.
import { ModelUnavailableError } from "../../src/base/errors.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore, placeOf, type TestStore } from "../support/database.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { drain } from "../support/runtime.ts";

let test: TestStore;
const opened: Runtime[] = [];

beforeAll(async () => (test = await openTestStore()));

afterAll(async () => {
  for (const runtime of opened) await runtime.close();
  await test.close();
});

let users = 0;

/** The runtime of a new user, with an agent "main". */
async function open(replies: ScriptedReplies, options: object = {}): Promise<Runtime> {
  const located = placeOf(test);
  const runtime = await createRuntime({
    ...located,
    userId: `user-${(users += 1)}`,
    model: "scripted",
    models: [createScriptedModel({ replies })],
    embedder: null,
    ...options,
  });
  opened.push(runtime);
  await runtime.agents.create({ name: "main" });
  return runtime;
}

const call = { toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "Sails" } }] };

describe("a turn", () => {
  it.each([[30], [0]])(
    "that ended is completed, with its messages and steps (events kept %i minutes)",
    async (kept) => {
      const runtime = await open([call, { text: "Noted." }], { keepEventsMinutes: kept });
      const agent = await runtime.agents.open("main");
      const events = await drain(agent.send("I sail"));
      const { turnId } = events[0]!;
      const turn = await runtime.turns.find(turnId);
      expect(turn).toMatchObject({
        id: turnId,
        agentId: agent.record.id,
        conversationId: agent.conversationId,
        state: "completed",
        stopReason: "end-turn",
        errorCode: null,
        isBackground: false,
        metadata: {},
      });
      expect(turn.endedAt!.getTime()).toBeGreaterThanOrEqual(turn.createdAt.getTime());
      expect((await runtime.turns.messages(turnId)).map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
      const steps = await runtime.turns.steps(turnId);
      expect(steps.map(({ number, model }) => [number, model])).toEqual([
        [1, "scripted"],
        [2, "scripted"],
      ]);
      expect(await runtime.turns.findStep(steps[0]!.id)).toEqual(steps[0]);
      expect(await runtime.turns.stepsOfAgent("main", { order: "newest", limit: 1 })).toEqual([steps[1]]);
      const { conversationId: conversation } = agent;
      expect(await runtime.turns.stepsOfAgent("main", { conversation })).toEqual(steps);
      const { id: other } = await runtime.conversations.create("main");
      expect(await runtime.turns.stepsOfAgent("main", { conversation: other })).toEqual([]);
    },
  );

  it("runs while its events are read, and in the list of that state alone", async () => {
    const runtime = await open([{ text: "Hello" }]);
    const agent = await runtime.agents.open("main");
    const states: string[] = [];
    for await (const { type, turnId } of agent.send("Hi")) {
      if (type === "step-start") {
        states.push((await runtime.turns.find(turnId)).state);
        expect(await runtime.turns.list({ states: ["running"] })).toHaveLength(1);
      }
    }
    expect(states).toEqual(["running"]);
    expect(await runtime.turns.list({ states: ["running"] })).toEqual([]);
  });

  it("whose model fails is failed, with the code of the error", async () => {
    const runtime = await open([{ error: new ModelUnavailableError("It is down.", { provider: "scripted" }) }]);
    const agent = await runtime.agents.open("main");
    const { stopReason } = await agent.send("Hi");
    expect(stopReason).toBe("model-error");
    expect(await runtime.turns.list()).toMatchObject([{ state: "failed", stopReason, errorCode: "model_unavailable" }]);
  });

  it("that waits for approval is waiting, runs again, and is completed once", async () => {
    const runtime = await open([call, { text: "Done." }]);
    await runtime.agents.update("main", { approvals: ["core_memory_append"] });
    const agent = await runtime.agents.open("main");
    await agent.send("I sail");
    expect(await runtime.turns.list()).toMatchObject([{ state: "waiting", stopReason: "awaiting-approval" }]);
    const [waiting] = await runtime.approvals.list("main");
    await agent.approve(waiting!.callId);
    expect(await runtime.turns.list()).toMatchObject([{ state: "completed", stopReason: "end-turn" }]);
  });

  it("whose calls another input superseded is interrupted", async () => {
    const runtime = await open([call, { text: "Never mind." }]);
    await runtime.agents.update("main", { approvals: ["core_memory_append"] });
    const agent = await runtime.agents.open("main");
    await agent.send("I sail");
    await agent.send("Forget it");
    expect((await runtime.turns.list()).map(({ state }) => state)).toEqual(["completed", "interrupted"]);
  });

  it("whose process was killed is interrupted as soon as its lease has expired", async () => {
    const runtime = await open([{ text: "Hello" }]);
    const agent = await runtime.agents.open("main");
    const { value } = await agent.send("Hi")[Symbol.asyncIterator]().next();
    await agent.stop();
    const turnId = value!.turnId;
    // As a killed process leaves it: without an end, and with a lease that nobody renews.
    await test.ownerRows("update turns set stop_reason = null, ended_at = null where id = $1::uuid", [turnId]);
    const setLease = (end: string) =>
      test.ownerRows(
        `update conversations set lease_holder = '{"pid":1,"host":"gone"}', lease_expires_at = now() + interval '${end}' where id = $1::uuid`,
        [agent.conversationId],
      );
    await setLease("1 minute");
    expect((await runtime.turns.find(turnId)).state).toBe("running");
    await setLease("-1 second");
    expect(await runtime.turns.find(turnId)).toMatchObject({ state: "interrupted", stopReason: null, endedAt: null });
  });

  it("keeps what its caller notes, and is found by it", async () => {
    const runtime = await open([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
    const agent = await runtime.agents.open("main");
    const first = await agent.send("1");
    const second = await agent.send("2");
    const noted = await runtime.turns.annotate(second.turnId, { isBackground: true, metadata: { door: "v1" } });
    expect(noted).toMatchObject({ isBackground: true, metadata: { door: "v1" } });
    const idsOf = async (options: object) => (await runtime.turns.list(options)).map(({ id }) => id);
    expect(await idsOf({ isBackground: true })).toEqual([second.turnId]);
    expect(await idsOf({})).toEqual([second.turnId, first.turnId]);
    expect(await idsOf({ order: "oldest", after: first.turnId })).toEqual([second.turnId]);
    expect(
      await idsOf({ agent: "main", conversation: agent.conversationId, stopReason: "end-turn", limit: 1 }),
    ).toEqual([second.turnId]);
    expect(await idsOf({ stopReason: "length" })).toEqual([]);
    const { turnId } = await agent.send("3", { notes: { isBackground: true, metadata: { door: "own" } } });
    expect(await runtime.turns.find(turnId)).toMatchObject({ isBackground: true, metadata: { door: "own" } });
    await expect(idsOf({ limit: 0 })).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("refuses too long metadata, however it is passed", async () => {
    const runtime = await open([{ text: "One" }]);
    const agent = await runtime.agents.open("main");
    const { turnId } = await agent.send("1");
    const notes = { metadata: { text: "x".repeat(100_000) } };
    const refusal = { code: "input_invalid", message: expect.stringContaining("at most 100000 characters as JSON") };
    await expect(runtime.turns.annotate(turnId, notes)).rejects.toMatchObject({ ...refusal, field: "metadata" });
    await expect(agent.start("2", { notes })).rejects.toMatchObject({ ...refusal, field: "notes.metadata" });
    expect(() => agent.send("2", { notes })).toThrow("at most 100000 characters as JSON");
    expect(await runtime.turns.list()).toHaveLength(1);
  });

  it("is deleted with its conversation", async () => {
    const runtime = await open([{ text: "One" }]);
    const agent = await runtime.agents.open("main");
    const { turnId } = await agent.send("1");
    await runtime.conversations.delete(agent.conversationId);
    await expect(runtime.turns.find(turnId)).rejects.toMatchObject({ code: "turn_not_found" });
  });
});
