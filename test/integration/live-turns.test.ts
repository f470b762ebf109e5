// Readers of a turn in the process that runs it: what they read from memory, and that it is what they would read from the database.
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "../../src/agent/events.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { useStore } from "../support/database.ts";
import { recordingCalls } from "../support/record-store-calls.ts";
import { drain } from "../support/runtime.ts";

const { test: opened } = useStore();

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };
/** Pauses for longer than the events of a turn wait until they are stored. */
const slow: Model = {
  name: "slow",
  contextWindow: 1_000_000,
  async *stream() {
    for (const text of ["One ", "two ", "three."]) {
      await sleep(300);
      yield { type: "text-delta", text };
    }
    yield { type: "end", stopReason: "end", usage };
  },
};

async function open(calls: string[], userId: string) {
  const options = { userId, model: "slow", models: [slow], embedder: null };
  const runtime = await composeRuntime(options, { store: recordingCalls(opened.store, calls) });
  const agent = await runtime.agents.open("ann", { create: { persona: "", human: "" } });
  return { runtime, agent, place: { conversation: agent.conversationId, agent: "ann" } };
}

it("a turn is read once from the database and then from memory, with every event once and in order", async () => {
  const calls: string[] = [];
  const { runtime, agent, place } = await open(calls, "reader");
  const { id } = await agent.start("Count.");
  const readers = await Promise.all([
    drain(runtime.turns.events(id, place)),
    drain(agent.events(id, { after: 1 })),
    drain(runtime.turns.events(id, { conversation: agent.conversationId })),
  ]);
  expect(calls.filter((call) => call === "events.read")).toHaveLength(3);
  const stored: readonly AgentEvent[] = await drain(runtime.turns.events(id, place));
  expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_event, at) => at + 1));
  expect(stored.at(-1)).toMatchObject({ type: "turn-end", text: "One two three." });
  expect(readers).toEqual([stored, stored.slice(1), stored]);
  await runtime.close();
});

it("a turn that was just started is read from memory alone, and one of which events are stored from the database first", async () => {
  const calls: string[] = [];
  const { runtime, agent, place } = await open(calls, "starter");
  const turn = await agent.start("Count.");
  const read = await drain(turn.events());
  const reads = () => calls.filter((call) => call === "events.read").length;
  expect(reads()).toBe(0);
  expect(read).toEqual(await drain(runtime.turns.events(turn.id, place)));
  expect(await drain(turn.events({ after: 2 }))).toEqual(read.slice(2));
  expect(reads()).toBe(2);

  const late = await agent.start("Count.");
  for await (const { type } of late.events()) if (type === "text-delta") break;
  const again = await drain(late.events());
  expect(reads()).toBe(3);
  expect(again).toEqual(await drain(runtime.turns.events(late.id, place)));
  await runtime.close();
});

it("a reader who leaves ends with the signal's reason, and the turn goes on", async () => {
  const { runtime, agent, place } = await open([], "leaver");
  const { id } = await agent.start("Count.");
  const left = new AbortController();
  const read: string[] = [];
  const reading = (async () => {
    for await (const { type } of runtime.turns.events(id, { ...place, signal: left.signal })) {
      read.push(type);
      if (type === "text-delta") left.abort(new Error("left"));
    }
  })();
  await expect(reading).rejects.toThrow("left");
  expect(read).not.toContain("turn-end");
  expect((await drain(runtime.turns.events(id, place))).at(-1)).toMatchObject({ stopReason: "end-turn" });
  await runtime.close();
});

it("events of another agent's conversation, or of no turn, are refused like those that do not exist", async () => {
  const { runtime, agent, place } = await open([], "asker");
  await runtime.agents.create({ name: "bob", persona: "", human: "" });
  const { id } = await agent.start("Count.");
  const refusals = [
    [id, { ...place, agent: "bob" }, "conversation_not_found"],
    [id, { ...place, agent: "nobody" }, "agent_not_found"],
    [id, { conversation: id }, "conversation_not_found"],
    [place.conversation, place, "turn_not_found"],
  ] as const;
  for (const [turn, options, code] of refusals)
    await expect(drain(runtime.turns.events(turn, options))).rejects.toMatchObject({ code });
  await drain(runtime.turns.events(id, place));
  await runtime.close();
});
