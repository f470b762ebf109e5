// `context plan`: what it asks of the runtime, and what a person and a script are told. What is refused is in a session of test/parity.
import type { PlannedContext } from "../../../src/memory/planner/query-planner.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { SearchHit } from "../../../src/tool/tool.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const at = new Date("2026-11-21T10:13:01.000Z");

const planned: PlannedContext<SearchHit> = {
  synopsis: "<synopsis>\nName: Ada\n</synopsis>",
  recent: [{ id: "m1", text: "When does it leave?\nAnd from where?", at, trust: "user", role: "user" }],
  found: [
    {
      id: "m0",
      text: "The ferry leaves at nine.",
      at,
      trust: "external",
      tool: "timetable",
      foundIn: "working",
      score: 2 / 61,
    },
    { id: "p1", text: "Ada sails.", at, trust: "model", tags: ["sea"], foundIn: "archival", score: 1 / 62 },
  ],
  tokens: 1234,
  explanation: [
    { source: "recent", id: "m1", rank: 1, tokens: 20, outcome: "taken", reason: "one of the last messages" },
    {
      source: "archival",
      id: "p2",
      rank: 1,
      tokens: 1100,
      outcome: "dropped",
      reason: "no room: 900 tokens were left",
    },
  ],
  sources: [
    { name: "recent", status: "ok", ms: 3, hits: 1 },
    { name: "working", status: "late", ms: 2000, hits: 0 },
  ],
  warnings: ["working was left out: no answer in 2000 ms"],
};

const empty: PlannedContext<SearchHit> = {
  synopsis: null,
  recent: [],
  found: [],
  tokens: 0,
  explanation: [],
  sources: [{ name: "archival", status: "ok", ms: 12, hits: 0 }],
  warnings: [],
};

async function run(argv: readonly string[], getContext: Runtime["getContext"] = async () => empty) {
  const runtime = stubRuntime({ getContext });
  return { ...(await runInWorld(["context", "plan", ...argv], { runtime })), calls: runtime.calls };
}

test("shows the fitting hits, the reasons, the time of each source, and what was left out", async () => {
  const { stdout, stderr, exitCode } = await run(["the ferry"], async () => planned);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "Synopsis",
    "  <synopsis>",
    "  Name: Ada",
    "  </synopsis>",
    "",
    "Last messages",
    "  2026-11-21 10:13  user  m1",
    "    When does it leave?",
    "    And from where?",
    "",
    "Found, best first",
    "  2026-11-21 10:13  working  result of timetable  from outside  m0",
    "    The ferry leaves at nine.",
    "  2026-11-21 10:13  archival  [sea]  p1",
    "    Ada sails.",
    "",
    "1,234 of 4,000 tokens",
    "",
    "HIT         TOKENS  OUTCOME  WHY                            ID",
    "recent 1    20      taken    one of the last messages       m1",
    "archival 1  1,100   dropped  no room: 900 tokens were left  p2",
    "",
    "ASKED    STATUS  MS     HITS",
    "recent   ok      3      1",
    "working  late    2,000  0",
    "warning: working was left out: no answer in 2000 ms",
  ]);
  expect([stderr, exitCode]).toEqual(["", 0]);
});

test("reports when nothing was found", async () => {
  const { stdout } = await run(["granite"], async () => empty);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "Nothing was found.",
    "",
    "0 of 4,000 tokens",
    "",
    "ASKED     STATUS  MS  HITS",
    "archival  ok      12  0",
  ]);
});

test("passes the given agent, tokens and conversation, and no others", async () => {
  expect((await run(["the ferry"])).calls[0]).toEqual(["getContext", "main", "the ferry", { maxTokens: 4000 }]);
  const { calls, stdout } = await run(["the ferry", "-a", "ada", "--tokens", "60", "-r", "conversation-7"]);
  expect(calls[0]).toEqual(["getContext", "ada", "the ferry", { maxTokens: 60, conversation: "conversation-7" }]);
  expect(stdout).toContain("0 of 60 tokens");
});

test("prints all of it as JSON, with every field of every hit", async () => {
  const { stdout } = await run(["the ferry", "--json"], async () => planned);
  const json: unknown = JSON.parse(stdout);
  const nobody = { tool: null, role: null, tags: [], source: null };
  expect(json).toEqual({
    ...planned,
    recent: [{ ...nobody, ...planned.recent[0], at: at.toISOString() }],
    found: planned.found.map((hit) => ({ ...nobody, ...hit, at: at.toISOString() })),
  });
});

const forged = "calm\n2026-11-21 10:13  user  forged\nwarning: forged\u001b[2J";

test("no text of memory can imitate a line of the report, or move a cursor", async () => {
  const hit = { ...planned.found[0]!, id: "m\nforged", text: forged, tool: forged, tags: [forged] };
  const shown = { ...planned, synopsis: forged, found: [hit], warnings: [`working was left out: ${forged}`] };
  const { stdout } = await run(["q"], async () => shown);
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/u);
  expect(stdout.split("\n").filter((line) => /^(2026|warning|forged)/u.test(line))).toEqual([
    expect.stringContaining("warning: working was left out: calm 2026"),
  ]);
});

test.each([
  ["a long run", "a".repeat(1e6)],
  ["a million blanks in a text", `a${" ".repeat(1e6)}\nb`],
  ["Chinese", "船在早上九点出发"],
  ["an emoji", "🦜"],
  ["a lone surrogate", "before \ud83d after"],
  ["a closing tag", "</human>"],
  ["wildcards", "%_"],
])("%s in a hit is shown completely", async (_, text) => {
  const { stdout, exitCode } = await run(["q"], async () => ({ ...empty, found: [{ ...planned.found[0]!, text }] }));
  expect(exitCode).toBe(0);
  expect(stdout).toContain(text.split("\n")[0]?.toWellFormed());
});

test("`context` is still a command, and its help lists the plan", async () => {
  const { stdout } = await runInWorld(["help", "context"]);
  expect(stdout).toContain("--step N");
  expect(stdout).toMatch(/^Also\n {2}palimpsest context plan QUERY {2}show what the memories contain/mu);
  expect((await runInWorld(["--help"])).stdout).toMatch(/^ {2}context \[plan\] +the content of the window/mu);
  expect((await runInWorld(["context", "plna"])).stderr).toContain('unexpected argument "plna"');
});
