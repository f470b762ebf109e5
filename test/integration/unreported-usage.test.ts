// A provider that reports no usage: limits hold by what was counted, and what is shown as usage stays what was reported.
import { noUsage } from "../../src/base/message/message.ts";
import { createTestRuntimes, lastOf } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

test("a turn stops when the counted tokens reach its budget", async () => {
  const { agent } = await openScene(runtimes, () => ({ toolCalls: [append("noted")] }), { maxTurnTokens: 4000 });
  const end = await lastOf(agent.send("note it"));
  expect(end).toMatchObject({ stopReason: "budget", usage: noUsage });
  expect(end.steps).toBeGreaterThan(0);
  expect(end.steps).toBeLessThan(5);
});
