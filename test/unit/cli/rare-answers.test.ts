// What commands print of answers that a real runtime does not give in a test's time: large figures, failures, states that pass
// quickly. What they print otherwise is in test/pins/golden/commands.txt and in the sessions of test/parity.
import { noUsage } from "../../../src/base/message/message.ts";
import type { SynopsisView } from "../../../src/runtime/synopsis/contract.ts";
import type { OptimizeReport } from "../../../src/surfaces/cli/runtime-records.ts";
import type { SettingFlags } from "../../../src/surfaces/cli/world.ts";
import { createFakeAgent, fakeRecord } from "../../support/fake-agent.ts";
import { consolidation, fakeConsolidations } from "../../support/fake-consolidations.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { type StubRuntime, stubRuntime } from "../../support/stub-runtime.ts";

const at = new Date("2026-11-21T10:13:01.000Z");

async function run(runtime: StubRuntime, ...argv: readonly string[]) {
  return { ...(await runInWorld(argv, { runtime })), calls: runtime.calls.filter(([name]) => name !== "close") };
}

test("optimize reports the result for each table, and slow work before it begins", async () => {
  const facts = { dimensions: 512, index: "none", indexBytes: 0, buildSeconds: 0 } as const;
  const built = { outcome: "built", indexBytes: 163_577_856, buildSeconds: 31.24 } as const;
  const report: OptimizeReport = {
    analyzed: ["messages", "passages"],
    analyzeSeconds: 1.25,
    tables: [
      { ...facts, table: "messages_512", vectors: 3100, outcome: "not-due" },
      { ...facts, table: "passages_512", vectors: 60_000, ...built },
    ],
  };
  const runtime = stubRuntime({
    optimize: async ({ log } = {}) => (log?.("Building the index of passages_512: 60,000 vectors."), report),
  });
  expect(await run(runtime, "optimize")).toMatchObject({
    exitCode: 0,
    stdout:
      "Vacuumed and analyzed messages, passages in 1.3 s.\n" +
      "messages_512: 3,100 vectors, too few to need an index.\n" +
      "passages_512: 60,000 vectors, built the index in 31.2 s (156 MB).\n",
    stderr: "palimpsest: Building the index of passages_512: 60,000 vectors.\n",
  });
  expect(JSON.parse((await run(runtime, "optimize", "--json", "--quiet")).stdout)).toEqual(report);
});

test("synopsis show prints what was left out, what is stale, and the saved tokens", async () => {
  const part = {
    trust: "model",
    at,
    expiresAt: new Date("2026-11-21T11:13:01.000Z"),
    isStale: false,
    memories: 500,
    leftOut: 1200,
    memoryTokens: 12_000,
    tokens: 300,
    model: "demo",
    usage: noUsage,
    dollars: 0,
  } as const;
  const synopsis: SynopsisView = {
    isOn: false,
    identity: { ...part, content: { name: "Ada", preferences: ["tea"], traits: [] } },
    context: { ...part, isStale: true, content: { recentTopics: ["sailing"], currentGoals: ["a boat"] } },
    text: "<synopsis>\nName: Ada\n</synopsis>",
    tokens: 600,
    memoryTokens: 12_000,
    savedPercent: 95,
  };
  const { stdout } = await run(stubRuntime({ synopsis: { show: async () => synopsis } }), "synopsis", "show");
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
    "The synopsis is off: no prompt contains it (`palimpsest agents set synopsis on`).",
  ]);
});

test("consolidate shows the quotes of an operation, and names operations by their numbers", async () => {
  const { id } = consolidation;
  const called: [string, ...unknown[]][] = [];
  const runtime = stubRuntime({ consolidation: fakeConsolidations(called) });
  expect((await run(runtime, "consolidate")).stdout.trimEnd().split("\n").slice(1)).toEqual([
    "1. merge in archive: proposed  [user]",
    "   - Likes tea",
    "   + Likes tea.",
    '     passage: "tea"',
    "     Both say the same.",
    "1 proposed",
  ]);
  await run(runtime, "consolidate", "apply", "1");
  expect(called.at(-1)).toEqual(["consolidation.apply", id, { operations: [1] }]);
  await run(runtime, "consolidate", "apply", id, "1", "3");
  expect(called.at(-1)).toEqual(["consolidation.apply", id, { operations: [1, 3] }]);
  expect(await run(runtime, "consolidate", "apply", id, "all")).toMatchObject({ exitCode: 2 });
  expect(called).toHaveLength(3);
});

test("compactions shows unknown costs and what was undone, and undoes one at a time", async () => {
  const compaction = {
    id: "compaction-1",
    strategy: "ring",
    fromPosition: 11,
    throughPosition: 20,
    throughId: "message-20",
    summary: "They spoke of sailing.",
    threadMessages: 30,
    rangeTokens: 500,
    tokensBefore: 900,
    tokensAfter: 420,
    model: "demo",
    usage: noUsage,
    dollars: 0.00123,
    focus: null,
    trust: "model",
    undoneAt: null,
    at,
  } as const;
  const conversation = { id: "conversation-1" } as never;
  const asked: unknown[] = [];
  const agent = {
    ...createFakeAgent(),
    compactions: async (limit?: number) => (
      asked.push(limit), [{ ...compaction, undoneAt: at, dollars: null }, compaction]
    ),
    undoCompaction: async () => ({ compactions: [compaction], messages: [], tokensBefore: 100, tokensAfter: 400 }),
  };
  const runtime = stubRuntime({
    agents: { open: async () => agent },
    conversations: { list: async () => [conversation] },
  });
  const { stdout, calls } = await run(runtime, "compactions", "list", "--limit", "5");
  const [heading, undone, standing] = stdout.split("\n");
  expect(heading).toMatch(/^MADE \(UTC\) +STRATEGY +MESSAGES +TOKENS +BY +COST +UNDONE +SUMMARY$/u);
  expect(undone).toMatch(/ring +11-20 +900 -> 420 +demo +unknown +2026-.* They spoke of sailing\.$/u);
  expect(standing).toMatch(/ \$0\.0012 +They spoke/u);
  const opening = { conversation: { id: "conversation-1" }, withoutCalls: true };
  expect([calls.at(-1), asked]).toEqual([["agents.open", "main", opening], [5]]);
  const listed = JSON.parse((await run(runtime, "compactions", "list", "--json")).stdout);
  expect(listed).toMatchObject([
    { dollars: null, undoneAt: at.toISOString() },
    { ...compaction, at: at.toISOString() },
  ]);
  expect((await run(runtime, "compactions", "undo")).stdout).toBe(
    "0 messages are in the window again: 100 -> 400 tokens.\n",
  );
  expect(JSON.parse((await run(runtime, "compactions", "undo", "--json")).stdout)).toEqual({
    compactions: ["compaction-1"],
    messages: 0,
    tokensBefore: 100,
    tokensAfter: 400,
  });
});

test("agents set parses settings by type, removes limits, and leaves what is not JSON to the settings", async () => {
  const runtime = stubRuntime({ agents: { update: async () => fakeRecord } });
  const set = async (...pairs: readonly string[]) => (await run(runtime, "agents", "set", ...pairs)).calls.at(-1);
  const limits = ["compaction", "ring", "keepLast", "20", "warnAt", "0.5", "compactMessages", "none"];
  expect(await set(...limits, "approvalTimeout", "never", "approvals", '["pay"]', "timeZone", "Asia/Tokyo")).toEqual([
    "agents.update",
    "main",
    {
      compaction: "ring",
      keepLast: 20,
      warnAt: 0.5,
      compactMessages: null,
      approvalTimeout: null,
      approvals: ["pay"],
      timeZone: "Asia/Tokyo",
    },
  ]);
  const unread = ["agents.update", "main", { retention: "{steps", timeZone: "5x" }];
  expect(await set("retention", "{steps", "timeZone", "5x")).toEqual(unread);
});

test.each([
  [["30d"], "nodeMemory.prune", 30 * 86_400_000],
  [["12h", "--dry-run"], "nodeMemory.listUnused", 43_200_000],
  [["90m", "--dry-run"], "nodeMemory.listUnused", 5_400_000],
])("node-memory prune --older-than %j", async (argv, call, ageMs) => {
  const runtime = stubRuntime({ nodeMemory: { prune: async () => [], listUnused: async () => [] } });
  expect((await run(runtime, "node-memory", "prune", "--older-than", ...argv)).calls).toEqual([[call, ageMs]]);
});

test("users list shows all users with their agents and their last message", async () => {
  const [createdAt, lastMessageAt] = [new Date("2026-03-01T08:00:00Z"), new Date("2026-03-04T05:06:00Z")];
  const users = [
    { userId: "ada", createdAt, agents: 2, lastMessageAt: null },
    { userId: "bob", createdAt, agents: 0, lastMessageAt },
  ];
  const runtime = stubRuntime({ listUsers: async () => users });
  const { stdout } = await run(runtime, "users", "list");
  expect(stdout.replaceAll(/ {2,}/gu, " | ").split("\n")).toEqual([
    "USER | AGENTS | SINCE (UTC) | LAST MESSAGE (UTC)",
    "ada | 2 | 2026-03-01 08:00 | never",
    "bob | 0 | 2026-03-01 08:00 | 2026-03-04 05:06",
    "",
  ]);
  expect(JSON.parse((await run(runtime, "users", "list", "--json")).stdout)).toMatchObject([
    { userId: "ada" },
    { agents: 0 },
  ]);
});

test("users usage sums the tokens and the cost of each user since midnight UTC, the largest user first", async () => {
  const used = { inputTokens: 1000, outputTokens: 200, cachedInputTokens: 400 };
  const priceOf = (model: string) => (model === "other" ? null : { input: 10, cachedInput: 1, output: 50 });
  const listUsage = async () => [
    { userId: "ada", model: "script", ...used },
    { userId: "ben", model: "other", ...used },
    { userId: "ben", model: "script", ...used },
  ];
  const runtime = stubRuntime({ listUsage, models: { priceOf } });
  const { stdout, calls } = await run(runtime, "users", "usage", "--days", "7");
  expect(stdout.replaceAll(/ {2,}/gu, " | ").split("\n")).toEqual([
    "USER | INPUT | CACHED | OUTPUT | COST | MODELS",
    "ben | 2,000 | 800 | 400 | unknown | other, script",
    "ada | 1,000 | 400 | 200 | $0.0164 | script",
    "",
  ]);
  const [, since] = calls.find(([name]) => name === "listUsage") as [string, Date];
  expect(since.getTime() % 86_400_000).toBe(0);
  expect([6, 7]).toContain(Math.floor((Date.now() - since.getTime()) / 86_400_000));
  expect(JSON.parse((await run(runtime, "users", "usage", "--json")).stdout)).toMatchObject([
    {
      userId: "ben",
      inputTokens: 2000,
      dollars: null,
      models: [{ model: "other", dollars: null }, { dollars: 0.0164 }],
    },
    { userId: "ada", dollars: 0.0164 },
  ]);
  expect(await run(runtime, "users", "usage", "--days", "0")).toMatchObject({ exitCode: 2 });
});

test("users remove deletes as that user, in a runtime of the user that is closed afterwards", async () => {
  const usage = { agents: 2, sharedWith: 1, conversations: 3, messages: 40, passages: 5, sources: 6 };
  const runtime = stubRuntime({ user: { usage: async () => usage, delete: async () => undefined } });
  const opened: SettingFlags[] = [];
  const openRuntime = async (flags: SettingFlags) => (opened.push(flags), runtime);
  const argv = ["users", "remove", "ada", "--yes", "--data-dir", "/d"];
  expect((await runInWorld(argv, { openRuntime })).stdout).toMatch(/^Deleted "local": 2 agents/u);
  expect(runtime.calls.slice(-2)).toEqual([["user.delete"], ["close"]]);
  expect(opened).toEqual([{ user: "ada", "data-dir": "/d" }]);
});

test("memory cause shows the edit, the call and the message that it came from", async () => {
  const place = { moduleId: "module", revision: 2, editorId: "local", agentId: "agent", label: "human", at };
  const edit = { before: "Name: Ada", after: "Name: Ada\nSails.", origin: "model", toolName: "memory_insert" } as const;
  const source = { callId: "call", messageId: "reply", conversationId: "talk", client: null, trust: "user" } as const;
  const revision = { ...place, ...edit, ...source, undoes: null, lineTrust: null, external: [] };
  const call = { name: "memory_insert", arguments: '{"label":"human"}' };
  const input = { id: "asked", kind: "message", text: "I sail.\nOften.", trust: "user", at } as const;
  const runtime = stubRuntime({ memory: { cause: async () => ({ revision, call, input }) } });
  expect((await run(runtime, "memory", "cause", "human", "2")).stdout).toBe(
    "2026-11-21 10:13  human, revision 2, by model, memory_insert\n  + Sails.\n" +
      'call     memory_insert {"label":"human"}\nmessage  2026-11-21 10:13  asked\n  I sail.\n  Often.\n',
  );
});

test("tools list of an agent says which stored tools wait for approval", async () => {
  const tool = {
    id: "tool",
    description: "",
    parameters: {},
    kind: "python",
    source: null,
    served: null,
    metadata: {},
  };
  const kept = { ...tool, resultLimit: null, tags: [], createdAt: at, updatedAt: at } as const;
  const attached = [
    { ...kept, name: "moved", requiresApproval: false, agentRequiresApproval: true },
    { ...kept, name: "freed", requiresApproval: true, agentRequiresApproval: false },
    { ...kept, name: "asked", requiresApproval: true, agentRequiresApproval: null },
  ] as never;
  const runtime = stubRuntime({ tools: { builtIn: async () => [], ofAgent: async () => attached } });
  expect((await run(runtime, "tools", "list", "-a", "scout")).stdout.trimEnd().split("\n")).toEqual([
    "NAME   FROM",
    "moved  stored (python), each call waits for approval",
    "freed  stored (python)",
    "asked  stored (python), each call waits for approval",
  ]);
});
