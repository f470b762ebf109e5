// Messages between agents after the process of a turn has ended.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
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
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
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
