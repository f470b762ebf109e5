// `synopsis show`, `refresh` and `clear`: what they ask of the runtime, and what they print.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { synopsis } from "../../support/fake-records.ts";
import { runInWorld } from "../../support/fake-world.ts";

async function run(...argv: readonly string[]) {
  const runtime = createFakeRuntime({ agents: ["main"] });
  return { ...(await runInWorld(argv, { runtime })), calls: runtime.calls };
}

test("show prints both parts, their sources, the saved tokens, and that it is off", async () => {
  const { stdout, exitCode } = await run("synopsis", "show");
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

test("show reports that there is none", async () => {
  const none = {
    isOn: true,
    identity: null,
    context: null,
    text: null,
    tokens: 0,
    memoryTokens: 0,
    savedPercent: null,
  };
  const show = async () => none;
  const override = { synopsis: { show, refresh: show, clear: async () => 0 } };
  const runtime = createFakeRuntime({ agents: ["main"], override });
  expect(await runInWorld(["synopsis", "show"], { runtime })).toMatchObject({ stdout: "There is no synopsis.\n" });
  expect(await runInWorld(["synopsis", "clear"], { runtime })).toMatchObject({ stdout: "There was no synopsis.\n" });
});

test.each(["show", "refresh"])("%s prints all of it as JSON", async (verb) => {
  const { stdout, calls } = await run("synopsis", verb, "--json");
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(synopsis)));
  expect(calls.filter(([name]) => name === "synopsis.refresh")).toHaveLength(verb === "refresh" ? 1 : 0);
});

test("clear deletes it, and reports the number of parts", async () => {
  const { stdout, calls } = await run("synopsis", "clear", "--json");
  expect(JSON.parse(stdout)).toEqual({ parts: 2 });
  expect(calls[0]).toEqual(["synopsis.clear", "main"]);
});

test("an unknown agent and an extra argument are refused", async () => {
  expect((await run("synopsis", "show", "-a", "nobody")).exitCode).toBe(1);
  expect((await run("synopsis", "show", "it")).exitCode).toBe(2);
});
