// What the overview says about an agent.
import {
  type AgentRecords,
  isLearnedCut,
  type Learned,
  learnedGroups,
  learnedSince,
  recordLimits,
  type ShownAgent,
  startOfDay,
  summarize,
} from "../../../src/surfaces/inspector/overview/agent-summary.ts";

const since = Date.parse("2026-11-24T00:00:00Z");
const none: AgentRecords = {
  conversations: [],
  revisions: [],
  passages: [],
  steps: [],
  approvals: [],
  consolidations: [],
  lastRuns: [],
};

const records = (given: { readonly [Name in keyof AgentRecords]?: readonly object[] }): AgentRecords => ({
  ...none,
  ...(given as Partial<AgentRecords>),
});

const step = (at: string, inputTokens: number) => ({
  at,
  usage: { inputTokens, outputTokens: 2, cachedInputTokens: 3 },
  report: { total: inputTokens, window: 1000 },
});

test("an agent that was never used", () => {
  expect(summarize(none, since)).toEqual({
    lastUsedAt: null,
    conversations: { count: 0, isCut: false },
    changes: { count: 0, isCut: false },
    window: null,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: { count: 0, isCut: false } },
  });
});

test("counts what is not older, and takes the window of the newest call", () => {
  const { usage, window, changes, lastUsedAt } = summarize(
    records({
      conversations: [{ updatedAt: "2026-11-25T10:00:00.000Z" }],
      revisions: [{ at: "2026-11-24T00:00:00Z" }, { at: "2026-11-23T23:59:59Z" }],
      steps: [
        step("2026-11-25T09:00:00.000Z", 70),
        step("2026-11-24T09:00:00.000Z", 40),
        step("2026-11-01T00:00:00.000Z", 9),
      ],
    }),
    since,
  );
  expect(usage).toEqual({ inputTokens: 110, cachedInputTokens: 6, outputTokens: 4, calls: { count: 2, isCut: false } });
  expect(window).toEqual({ tokens: 70, limit: 1000 });
  expect(changes.count).toBe(1);
  expect(lastUsedAt).toBe("2026-11-25T10:00:00.000Z");
});

test("a count at the limit of its request is marked", () => {
  const many = (length: number) => Array.from({ length }, () => step("2026-11-25T09:00:00Z", 1));
  const { usage, changes } = summarize(
    records({ revisions: many(recordLimits.revisions), steps: many(recordLimits.steps) }),
    since,
  );
  expect([usage.calls.isCut, changes.isCut]).toEqual([true, true]);
});

test.each([
  ["fewer changes than are requested", recordLimits.revisions - 1, "2026-11-25T09:00:00Z", false],
  ["as many changes as are requested, all of the period", recordLimits.revisions, "2026-11-25T09:00:00Z", true],
  ["as many changes as are requested, the last one older", recordLimits.revisions, "2026-11-23T09:00:00Z", false],
])("with %s, changes may be cut off or not", (_what, length, at, isCut) => {
  const many = Array.from({ length }, () => ({ at }));
  const agent = {} as ShownAgent;
  expect(isLearnedCut([{ agent, records: records({ revisions: many }) }], since)).toBe(isCut);
  expect(isLearnedCut([{ agent, records: records({ passages: many }) }], since)).toBe(isCut);
  expect(isLearnedCut([{ agent, records: null }], since)).toBe(false);
});

test("changes of all agents are newest first, a shared module's once, and undone ones are marked", () => {
  const change = (moduleId: string, revision: number, hour: number, undoes: number | null = null) => ({
    moduleId,
    revision,
    undoes,
    at: `2026-11-24T${String(hour).padStart(2, "0")}:00:00.000Z`,
  });
  const shared = change("shopping", 1, 9);
  const agents = [
    [change("human", 3, 11, 2), change("human", 2, 10), shared],
    [change("persona", 1, 10), shared, { ...change("persona", 0, 0), at: "2026-11-23T23:59:59Z" }],
  ].map((revisions, at) => ({ agent: { name: `${at}` } as ShownAgent, records: records({ revisions }) }));
  const found = learnedSince([...agents, { agent: { name: "broken" } as ShownAgent, records: null }], since);
  expect(
    found.map((each) =>
      "revision" in each
        ? [each.agent.name, each.revision.moduleId, each.revision.revision, each.isUndone]
        : [each.agent.name, each.passage.id],
    ),
  ).toEqual([
    ["0", "human", 3, false],
    ["0", "human", 2, true],
    ["1", "persona", 1, false],
    ["0", "shopping", 1, false],
  ]);
});

test("passages are among the changes with what they replaced; imports and older passages are not", () => {
  const passage = (id: string, at: string, more: object = {}) => ({ id, at, origin: "model", ...more });
  const passages = [
    passage("new", "2026-11-25T10:00:00Z"),
    passage("loaded", "2026-11-25T09:00:00Z", { origin: "import" }),
    passage("short lived", "2026-11-24T09:00:00Z", { replacedBy: "new" }),
    passage("old", "2026-11-01T09:00:00Z", { replacedBy: "new" }),
  ];
  const imported = { origin: "import", before: "Name: Ada", after: "Name: Ada", undoes: null };
  const revisions = [
    { moduleId: "human", revision: 2, undoes: null, at: "2026-11-25T08:00:00Z" },
    { ...imported, moduleId: "persona", revision: 1, at: "2026-11-25T07:00:00Z" },
  ];
  const agent = { name: "0" } as ShownAgent;
  const found = learnedSince([{ agent, records: records({ revisions, passages }) }], since);
  expect(
    found.map((each) =>
      "passage" in each ? [each.passage.id, each.replaced.map(({ id }) => id)] : each.revision.moduleId,
    ),
  ).toEqual([["new", ["short lived", "old"]], "human", ["short lived", []]]);
});

test("consecutive changes of one agent and one author are one group", () => {
  const learned = (agentId: string, id: string, origin: string): Learned =>
    ({ agent: { id: agentId, name: agentId }, passage: { id, origin }, replaced: [] }) as unknown as Learned;
  const edit = { origin: "model", client: null, undoes: null, toolName: "core_memory_append", before: "", after: "x" };
  const changes = [
    learned("one", "a", "model"),
    { agent: { id: "one", name: "one" }, revision: edit, isUndone: false } as unknown as Learned,
    learned("one", "b", "user"),
    learned("two", "c", "user"),
    learned("one", "d", "user"),
  ];
  const groups = learnedGroups(changes);
  expect(groups.map(({ agent, author, changes: { length } }) => [agent.id, author, length])).toEqual([
    ["one", "the agent", 2],
    ["one", "the user", 1],
    ["two", "the user", 1],
    ["one", "the user", 1],
  ]);
  expect(groups.flatMap((group) => group.changes)).toEqual(changes);
  expect(learnedGroups([])).toEqual([]);
});

test("yesterday begins at midnight, also after the first of a month", () => {
  expect(new Date(startOfDay(new Date(2026, 2, 1, 13, 30), 1))).toEqual(new Date(2026, 1, 28));
});
