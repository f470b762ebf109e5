// `palimpsest node-memory prune`: its ages. What it prints is in the tables and sessions of test/parity.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

test.each([
  [["30d"], "nodeMemory.prune", 30 * 86_400_000],
  [["12h", "--dry-run"], "nodeMemory.listUnused", 43_200_000],
  [["90m", "--dry-run"], "nodeMemory.listUnused", 5_400_000],
])("%j", async (argv, call, ageMs) => {
  const runtime = createFakeRuntime();
  await runInWorld(["node-memory", "prune", "--older-than", ...argv], { runtime });
  expect(runtime.calls[0]).toEqual([call, ageMs]);
});
