// The turns of a runtime, as they are counted and as observers see them.
import type { AgentEvent } from "../../../src/agent/events.ts";
import { createRunningTurns, createTurnTotals } from "../../../src/agent/lease/running-turns.ts";
import { drain } from "../../support/runtime.ts";
import { noUsage } from "../../../src/base/message/message.ts";

const turn = { agent: { id: "1", name: "diary", model: "demo" }, conversationId: "2" };
const header = { agentId: "1", conversationId: "2", turnId: "3", sequence: 0 };
const start: AgentEvent = { ...header, type: "turn-start", messageId: "4" };
const end: AgentEvent = { ...header, type: "turn-end", stopReason: "budget", text: "", steps: 2, usage: noUsage };

async function* yielding(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent, void> {
  yield* events;
}

function openTurns() {
  const totals = createTurnTotals();
  const seen: string[] = [];
  const observe = ({ agent, conversationId }: typeof turn) => {
    seen.push(`${agent.name} in ${conversationId}`);
    return { saw: ({ type }: AgentEvent) => void seen.push(type), left: () => void seen.push("left") };
  };
  return { totals, seen, turns: createRunningTurns({ limiter: null, totals, observers: [observe] }) };
}

const none = { waiting: 0, running: 0, refused: 0, failed: 0 };

test.each([
  ["waits before its first event", [], { waiting: 1 }],
  ["runs after it", [start], { running: 1 }],
  ["is over with its last event", [start, end], {}],
])("a turn %s", async (_title, events, counts) => {
  const { totals, turns } = openTurns();
  const running = await turns.enterTurn(turn);
  await drain(running.follow(yielding(events)));
  expect(totals.turns).toMatchObject({ ...none, ...counts });
});

test.each([
  ["without an event was refused", [], { refused: 1 }],
  ["without its last event failed", [start], { failed: 1 }],
  ["with it ended, with its stop reason", [start, end], { ended: { budget: 1, "end-turn": 0 } }],
])("a turn %s, counted once", async (_title, events, counts) => {
  const { totals, turns, seen } = openTurns();
  const running = await turns.enterTurn(turn);
  await drain(running.follow(yielding(events)));
  running.leave();
  expect(totals.turns).toMatchObject({ ...none, ...counts });
  expect(seen).toEqual(["diary in 2", ...events.map(({ type }) => type), "left"]);
});

test("the events of a turn are those that its reader gets", async () => {
  const { turns } = openTurns();
  const running = await turns.enterTurn(turn);
  expect(await drain(running.follow(yielding([start, end])))).toEqual([start, end]);
});

test("changes are not turns", () => {
  const { totals, turns, seen } = openTurns();
  turns.enter().leave();
  expect(totals).toEqual(createTurnTotals());
  expect(seen).toEqual([]);
});

test("a turn on a closed runtime is not counted, as nothing was begun for it", async () => {
  const { turns, seen } = openTurns();
  await turns.close(0);
  await expect(turns.enterTurn(turn)).rejects.toMatchObject({ code: "runtime_closing" });
  expect(seen).toEqual([]);
});
