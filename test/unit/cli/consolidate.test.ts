// `consolidate` and its verbs: what they ask of the runtime, and what they print.
import { consolidation } from "../../support/fake-consolidations.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

async function run(...argv: readonly string[]) {
  const runtime = createFakeRuntime({ agents: ["main"] });
  const done = await runInWorld(argv, { runtime });
  return { ...done, calls: runtime.calls.filter(([name]) => name !== "close") };
}

test("it shows each operation as a diff with its quotes", async () => {
  const { stdout } = await run("consolidate");
  expect(stdout.trimEnd().split("\n")).toEqual([
    `${consolidation.id}  proposed  2026-11-22T09:00Z  scripted, 0 tokens`,
    "1. merge in archive: proposed  [user]",
    "   - Likes tea",
    "   + Likes tea.",
    '     passage: "tea"',
    "     Both say the same.",
  ]);
  expect((await run("consolidate", "show", consolidation.id)).stdout).toBe(stdout);
  expect((await run("consolidate", "list")).stdout).toContain(`${consolidation.id}  2026-11-22 09:00  proposed`);
});

test("a review names operations by their numbers", async () => {
  const { id } = consolidation;
  expect((await run("consolidate", "apply", id, "1", "3")).calls).toEqual([
    ["consolidation.apply", id, { operations: [1, 3] }],
  ]);
  expect((await run("consolidate", "reject", id)).calls).toEqual([["consolidation.reject", id, {}]]);
  expect((await run("consolidate", "undo", id)).calls).toEqual([["consolidation.undo", id]]);
  const { exitCode, calls, stderr } = await run("consolidate", "apply", id, "all");
  expect({ exitCode, calls, stderr }).toMatchObject({
    exitCode: 2,
    calls: [],
    stderr: expect.stringContaining("number") as string,
  });
});
