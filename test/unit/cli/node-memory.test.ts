// `palimpsest node-memory prune`: ages, the dry run, and what it prints.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

const line = "support/conv-1/answer  4 messages  last written 2026-10-01T08:00:00.000Z\n";
const prune = ["node-memory", "prune", "--older-than"];

test("deletes older memories, and reports them", async () => {
  const runtime = createFakeRuntime();
  const stdout = `${line}1 node memory was deleted.\n`;
  expect(await runInWorld([...prune, "30d"], { runtime })).toMatchObject({ exitCode: 0, stdout });
  expect(runtime.calls[0]).toEqual(["nodeMemory.prune", 30 * 86_400_000]);
});

test("deletes nothing in a dry run", async () => {
  const runtime = createFakeRuntime();
  const stdout = `${line}1 node memory would be deleted.\n`;
  expect(await runInWorld([...prune, "12h", "--dry-run"], { runtime })).toMatchObject({ exitCode: 0, stdout });
  expect(runtime.calls.slice(0, -1)).toEqual([["nodeMemory.listUnused", 43_200_000]]);
});

test("prints JSON", async () => {
  const { stdout } = await runInWorld([...prune, "90m", "--dry-run", "--json"], { runtime: createFakeRuntime() });
  expect(JSON.parse(stdout)).toEqual({
    dryRun: true,
    memories: [
      {
        app: "support",
        conversation: "conv-1",
        node: "answer",
        messages: 4,
        bytes: 900,
        updatedAt: "2026-10-01T08:00:00.000Z",
      },
    ],
  });
});

test("reports when there is nothing", async () => {
  const override = { nodeMemory: { ...createFakeRuntime().nodeMemory, prune: async () => [] } };
  const runtime = createFakeRuntime({ override });
  expect(await runInWorld([...prune, "0m"], { runtime })).toMatchObject({
    stdout: "0 node memories were deleted.\n",
  });
});

test.each(["30", "d", "-1d", "1.5d", "30 d", "1w", "9".repeat(7), "１d"])("refuses the age %j", async (age) => {
  const runtime = createFakeRuntime();
  const { exitCode, stderr } = await runInWorld(["node-memory", "prune", `--older-than=${age}`], { runtime });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--older-than: expected a whole number")]);
  expect(runtime.calls).toEqual([]);
});

test("needs an age", async () => {
  const { exitCode, stderr } = await runInWorld(["node-memory", "prune"], { runtime: createFakeRuntime() });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Missing --older-than AGE")]);
});
