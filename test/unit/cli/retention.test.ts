// `palimpsest retention`: what a real runtime drops, as a person and a script read it.
import { createScriptedModel } from "../../../src/model/llm/scripted/scripted-model.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { drain, useRuntimes } from "../../support/runtime.ts";

const dayMs = 86_400_000;
/** More than one transaction drops. */
const passages = 1102;

const runtimes = useRuntimes();

test("apply deletes rows above the agent's limits, however many, and list shows its sweeps, newest first", async () => {
  const clock = createManualClock();
  const model = createScriptedModel({ replies: () => ({ text: "ok" }) });
  const retention = { messages: { days: 7 }, passages: { rows: 1 } };
  const open = () => runtimes.open({ model: "scripted", models: [model], clock });
  const run = async (...argv: string[]) => {
    const { stdout, stderr, exitCode } = await runInWorld(["retention", ...argv], { openRuntime: open });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return stdout;
  };

  const runtime = await open();
  await runtime.agents.create({ name: "main", settings: { keepLast: 0 } });
  const scout = await runtime.agents.open("scout", { create: { settings: { keepLast: 0 } } });
  await drain(scout.send("one"));
  await scout.compact();
  await runtime.archival.import(
    "scout",
    Array.from({ length: passages }, (_, index) => ({ text: `fact ${index}` })),
  );
  // After the import, which brings an archive down to its limit by itself.
  await runtime.agents.update("scout", { retention });
  await clock.advance(30 * dayMs);

  const nothing = { rows: 0, through: null };
  const through = "2026-01-01T00:00:00.000Z";
  const dropped = {
    messages: { rows: 1, through },
    revisions: nothing,
    steps: nothing,
    passages: { rows: passages - 1, through },
  };
  const first = {
    id: expect.any(String),
    agentId: expect.any(String),
    at: "2026-01-31T00:00:00.000Z",
    limits: retention,
    dropped,
  };
  expect(JSON.parse(await run("apply", "-a", "scout", "--json"))).toEqual(first);
  expect(await runtime.archival.count("scout")).toBe(1);
  expect(JSON.parse(await run("list", "-a", "scout", "--json"))).toEqual([first]);
  await clock.advance(dayMs);
  const next = "2026-02-01 00:00  deleted 0 messages, 0 revisions, 0 steps, 0 passages\n";
  expect(await run("apply", "-a", "scout")).toBe(next);
  const line = "2026-01-31 00:00  deleted 1 messages (up to 2026-01-01 00:00), 0 revisions, 0 steps, 1101 passages\n";
  expect(await run("list", "-a", "scout")).toBe(next + line);
  expect(await run("list", "-a", "scout", "--limit", "1")).toBe(next);
  expect(await run("list")).toBe("Nothing was deleted yet.\n");
});
