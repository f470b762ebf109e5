// A provider that reports no usage: limits hold by what was counted, and what is shown as usage stays what was reported.
import { noUsage } from "../../src/message/message.ts";
import { createTestRuntimes, drain, lastOf, type TestRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

test("the model is warned once that the window is filling up", async () => {
  const { agent } = await openScene(runtimes, () => ({ text: "ok" }), { contextWindow: 6000, maxOutputTokens: 500 });
  const warnings: number[] = [];
  for (let at = 1; at <= 16; at += 1) {
    const events = await drain(agent.send(`message ${at}: ${"and so on ".repeat(60)}`));
    if (events.some((event) => event.type === "warning" && event.code === "memory-pressure")) warnings.push(at);
    if (events.some(({ type }) => type === "compaction")) break;
  }
  expect(warnings).toHaveLength(1);
  expect(agent.messages.filter(({ kind }) => kind === "event")).toMatchObject([
    { text: "", content: [{ type: "text", text: expect.stringContaining("[System alert: ") }] },
  ]);
});

test("a turn stops when the counted tokens reach its budget", async () => {
  const { agent } = await openScene(runtimes, () => ({ toolCalls: [append("noted")] }), { maxTurnTokens: 4000 });
  const end = await lastOf(agent.send("note it"));
  expect(end).toMatchObject({ stopReason: "budget", usage: noUsage });
  expect(end.steps).toBeGreaterThan(0);
  expect(end.steps).toBeLessThan(5);
});
