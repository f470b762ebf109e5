// Turns that wait for another agent: read to their end, and after the process of a turn has ended.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { withReplies } from "../../src/agent/fold-turn.ts";
import { followTurn } from "../../src/surfaces/http/follow-turn.ts";
import {
  createSpeakers,
  first,
  lastText,
  said,
  settled,
  speakers,
  speaksTo,
  worldsOn,
  write,
} from "../support/agent-messages-scene.ts";
import { openTestStore } from "../support/database.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { runInWorld } from "../support/fake-world.ts";

const runtimes = useRuntimes();
const world = worldsOn((options) => runtimes.open(options));

test("a call gets its answer although its process was killed before it stored that the turn waits", async () => {
  const test = await openTestStore();
  const { options } = speakers({
    ada: first(write("bob", "Hi", true), { text: "ok" }),
    bob: first(write("eve", "Do you know?", true), { text: "Eve knows" }),
    eve: first({ toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "Asked." } }] }),
  });
  const runtime = await composeRuntime({ ...options, embedder: null, log: () => undefined }, { store: test.store });
  const settings = { ...speaksTo, approvals: ["core_memory_append"] };
  const { ada } = await createSpeakers(runtime, ["ada", "bob", "eve"], settings);
  await drain(ada!.send("Ask Bob."));
  await runtime.idle();
  const [{ turnId } = { turnId: null }] = await runtime.agentMessages.list("ada");
  const [{ count } = { count: 0 }] = await test.ownerRows<{ readonly count: number }>(
    "with lost as (update turns set stop_reason = null, ended_at = null where id = $1::uuid and stop_reason = 'awaiting-reply' returning 1) select count(*)::int as count from lost",
    [turnId],
  );
  expect(count).toBe(1);
  const eve = await runtime.agents.open("eve");
  await drain(eve.approve(eve.pendingApprovals[0]!.callId));
  expect(await settled(runtime, "ada")).toMatchObject([{ text: "Eve knows", outcome: "answered" }, {}]);
  await runtime.close();
  await test.close();
});

test("another process goes on where the first one was closed", async () => {
  const { agents, models, open, runtime } = await world({
    ada: first(write("bob", "Hi", true), { text: "ok" }),
    bob: said("Hello"),
  });
  const turn = agents["ada"]!.send("Ask Bob.");
  await drain(turn);
  await runtime.close({ graceMs: 0 });
  const other = await open();
  await other.agents.open("ada");
  await settled(other, "ada");
  expect(models["ada"]!.requests.map(lastText).filter((text) => text === "ok: Hello").length).toBe(1);
});

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
