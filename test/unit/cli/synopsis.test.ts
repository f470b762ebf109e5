// `synopsis show`: what it prints of both parts.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

test("show prints both parts, their sources, the saved tokens, and that it is off", async () => {
  const runtime = createFakeRuntime({ agents: ["main"] });
  const { stdout, exitCode } = await runInWorld(["synopsis", "show"], { runtime });
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "Name: Ada",
    "Preferences:",
    "  tea",
    "Traits: none known",
    "(identity: made 2026-11-21 10:13 by demo from 500 memories; 1,200 more left out for lack of space; valid until 2026-11-21 11:13)",
    "Recent topics:",
    "  sailing",
    "Current goals:",
    "  a boat",
    "(context: made 2026-11-21 10:13 by demo from 500 memories; 1,200 more left out for lack of space; stale since 2026-11-21 11:13)",
    "12,000 tokens of memories, 600 of the synopsis: 95 % saved.",
    "It is off: no prompt shows it (`palimpsest agents set synopsis on`).",
  ]);
});
