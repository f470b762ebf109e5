// A message longer than the window ends its own turn, and not the conversation.
import { createTestRuntimes, lastOf } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

test("after a message that is longer than the window, the next one is answered", async () => {
  const { agent, runtime, name } = await openScene(runtimes, () => ({ text: "Here." }), { contextWindow: 12_000 });
  expect(await lastOf(agent.send("a".repeat(1e6)))).toMatchObject({
    stopReason: "context-overflow",
    error: { code: "context_overflow" },
  });
  expect(await lastOf(agent.send("are you there?"))).toMatchObject({ stopReason: "end-turn", text: "Here." });
  expect((await runtime.recall.search(name, '"aaaaaaaa"')).total).toBe(1);
});
