// A turn that waits for another agent, as it is read to its end.
import { withReplies } from "../../src/agent/fold-turn.ts";
import { followTurn } from "../../src/surfaces/http/follow-turn.ts";
import { first, said, settled, worldsOn, write } from "../support/agent-messages-scene.ts";
import { runInWorld } from "../support/fake-world.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
const world = worldsOn((options) => runtimes.open(options));

test("a reader who follows the turn gets all of it, until it pauses no more or the reader leaves", async () => {
  const { runtime, agents } = await world({
    ada: first(write("bob", "Hi", true), { text: "Bob answered." }),
    bob: said("Hello"),
  });
  const reader = { agent: agents["ada"]!, turns: runtime.turns };
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
    await runtime.idle();
    return true;
  };
  const events = await drain(withReplies(reader, agents["ada"]!.send("Ask Bob."), pause));
  expect(pauses).toEqual([250]);
  expect(events.filter(({ type }) => type === "turn-end")).toMatchObject([
    { stopReason: "awaiting-reply" },
    { stopReason: "end-turn", text: "Bob answered." },
  ]);
  const paused = events.filter(({ sequence }) => sequence <= events.findIndex(({ type }) => type === "turn-end") + 1);
  async function* again() {
    yield* paused;
  }
  expect(await drain(withReplies(reader, again(), async () => false))).toEqual(paused);
});

test("a reader who follows a turn stops after a message superseded the call that waits", async () => {
  const { runtime, agents } = await world({
    ada: first(write("bob", "Hi", true), { text: "Never mind." }),
    bob: () => ({ text: "Hello", delayMs: 2000 }),
  });
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    if (pauses === 1) await drain(agents["ada"]!.send("Forget it."));
    return pauses < 5;
  };
  const reader = { agent: agents["ada"]!, turns: runtime.turns };
  const events = await drain(withReplies(reader, agents["ada"]!.send("Ask Bob."), pause));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "awaiting-reply" });
  expect(pauses).toBe(1);
});

test("a turn that waited is read again up to its answer", async () => {
  const { runtime, agents } = await world({
    ada: first(write("bob", "Hi", true), { text: "Bob answered." }),
    bob: said("Hello"),
  });
  const { conversationId } = agents["ada"]!;
  const { turnId: id } = await agents["ada"]!.send("Ask Bob.");
  await settled(runtime, "ada");
  const events = await drain(followTurn(runtime, { id, agentId: "ada", conversationId }));
  expect(events.filter(({ type }) => type === "turn-end")).toMatchObject([
    { stopReason: "awaiting-reply" },
    { stopReason: "end-turn", text: "Bob answered." },
  ]);
});

test("the chat without a terminal prints the answer after the other agent's reply, before it sends the next line", async () => {
  const { open } = await world({
    ada: first(write("bob", "Hi", true), { text: "Bob answered." }, { text: "Nothing else." }),
    bob: said("Hello"),
  });
  const input = "Ask Bob.\nWhat else?\n";
  const run = await runInWorld(["--quiet", "-a", "ada"], { openRuntime: open, input });
  expect(run).toMatchObject({ exitCode: 0, stdout: "Bob answered.\nNothing else.\n", stderr: "" });
});
