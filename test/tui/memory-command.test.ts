// `/memory`: the panel of core memory, and the printed history.
import { DependentEditsError } from "../../src/base/errors.ts";
import type { RevisionRecord } from "../../src/store/port/records.ts";
import { memoryPanel } from "../../src/surfaces/terminal/dialogs/memory-panel.ts";
import type { MemoryReading, MemorySource } from "../../src/surfaces/terminal/dialogs/memory-panel-rows.ts";
import { readSharing } from "../../src/surfaces/terminal/commands/memory.ts";
import { rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { driveDialog, keyOf } from "../support/drive-dialog.ts";
import { createFakeRuntime, revision, storedMessage } from "../support/fake-agent.ts";
import { fakeModules } from "../support/fake-modules.ts";
import { commandTime, runCommand, shownText } from "../support/run-command.ts";

const module = (label: string, value: string, more = {}) => ({
  id: `module ${label}`,
  ownerId: "ada",
  label,
  scope: "user" as const,
  description: null,
  value,
  length: [...value].length,
  limit: 100,
  readOnly: false,
  revision: 0,
  trust: "user" as const,
  lineTrust: null,
  ...more,
});

const edits = [
  revision({ revision: 3, before: "Name: Ada\nSails", after: "Name: Ada\nSails\nTea", toolName: "core_memory_append" }),
  revision({ revision: 2, before: "Name: Ada", after: "Name: Ada\nSails" }),
  revision(),
];

const reading = (more: Partial<MemoryReading> = {}): MemoryReading => ({
  modules: [module("persona", "I am Sam.", { readOnly: true }), module("human", "Name: Ada\nSails\nTea")],
  edits: new Map([["human", edits]]),
  sharing: new Map(),
  ...more,
});

function source(more: Partial<MemorySource> = {}): MemorySource {
  return {
    read: async () => reading({ modules: [module("human", "Name: Ada\nTea")] }),
    cause: async (edit) => ({
      revision: edit,
      call: { name: "core_memory_append", arguments: '{"content":"Sails"}' },
      input: storedMessage("user", "I sail."),
    }),
    undo: async (edit) => [edit],
    ...more,
  };
}

const open = (...keys: readonly string[]) => {
  const driver = driveDialog(keys);
  return { driver, result: driver.open(memoryPanel(source(), reading(), "human")) };
};

test.each([
  [{ trust: "external" }, "of the user · from outside\n"],
  [{ trust: "external", lineTrust: ["user", "external", "external"] }, "of the user · from outside: line 2, 3\n"],
  [{ trust: "model", lineTrust: ["user", "model", "model"] }, "of the user\n"],
] as const)("a module with %j is marked accordingly", async (trust, head) => {
  const modules = [module("human", "Name: Ada\nTea\nSails", trust)];
  const driver = driveDialog([]);
  await driver.open(memoryPanel(source(), reading({ modules }), "human"));
  expect(`${driver.screens[0]?.split("\n")[1]}\n`).toContain(head);
});

test("the panel has a tab per module, its value with the fill level, and the edits with the newest one's difference", async () => {
  const { driver, result } = open("left");
  await result;
  expect(driver.screens[0]).toBe(
    [
      " persona  [human] ",
      "human 19/100 ▓▓░░░░░░░░ · of the user",
      "  Name: Ada",
      "  Sails",
      "  Tea",
      "",
      "Edits, newest first",
      "❯ r3  core_memory_append, 2 h ago  +1 -0",
      "      + Tea",
      "  r2  core_memory_append, 2 h ago  +1 -0",
      "  r1  core_memory_append, 2 h ago  +1 -0",
    ].join("\n"),
  );
  expect(driver.screens[1]).toContain("[persona]  human");
  expect(driver.screens[1]).toContain("· of the user · read-only");
  expect(driver.screens[1]).toContain("No edits yet.");
});

test("Down selects an older edit, Enter shows its cause, Esc goes back and then closes", async () => {
  const { driver, result } = open("down", "enter", "escape", "escape");
  expect(await result).toEqual([]);
  expect(driver.screens[1]).toContain("❯ r2  core_memory_append, 2 h ago  +1 -0\n      + Sails");
  const cause = [
    "Why r2: core_memory_append, 2 h ago",
    "After this was said, 2026-11-20:",
    "  I sail.",
    "the model called core_memory_append:",
    '  {"content":"Sails"}',
    "which changed:",
    "  + Sails",
  ].join("\n");
  expect(driver.screens[2]).toContain(cause);
  expect(driver.screens[3]).toContain("❯ r2");
  expect(driver.hasClosed()).toBe(true);
});

test.each([
  [revision({ origin: "user", toolName: null }), "It was made outside of a conversation, by user."],
  [revision({ origin: "user", toolName: null, undoes: 2 }), "It reverted revision 2, by user."],
  [revision(), "The conversation that it came from was deleted."],
])("the cause of an edit without a call shows the known data", async (edit, words) => {
  const driver = driveDialog(["enter"]);
  const cause: MemorySource["cause"] = async (asked) => ({ revision: asked, call: null, input: null });
  const read = reading({ edits: new Map([["human", [edit]]]) });
  await driver.open(memoryPanel(source({ cause }), read, "human"));
  expect(driver.screens.at(-1)).toContain(words);
});

test("u asks, y undoes the edit, and the panel reads memory again", async () => {
  const { driver, result } = open("down", "u", "y", "escape");
  expect(await result).toEqual([edits[1]]);
  expect(driver.screens[2]).toContain("? Undo r2?");
  expect(driver.screens[3]).toContain("Name: Ada\n  Tea");
});

test("any other key cancels", async () => {
  const { driver, result } = open("u", "n", "escape");
  expect(await result).toEqual([]);
  expect(driver.screens[2]).not.toContain("Undo r");
});

test("dependent edits are listed, and undone only after a second yes", async () => {
  const request: (readonly [RevisionRecord, boolean])[] = [];
  const undo: MemorySource["undo"] = async (edit, { force }) => {
    request.push([edit, force]);
    if (!force) throw new DependentEditsError([{ label: "human", revisions: [2], later: [3] }]);
    return [edits[0]!, edit];
  };
  const driver = driveDialog(["down", "u", "y", "y", "q"]);
  const undone = await driver.open(memoryPanel(source({ undo }), reading(), "human"));
  expect(driver.screens[3]).toContain("? Later edits depend on it: r3. Undo these as well?");
  expect(request.map(([edit, force]) => [edit.revision, force])).toEqual([
    [2, false],
    [2, true],
  ]);
  expect(undone?.map((edit) => edit.revision)).toEqual([3, 2]);
});

test("a refusal of memory is thrown to the dialog host", async () => {
  const undo: MemorySource["undo"] = () => Promise.reject(new Error("The database is gone."));
  const driver = driveDialog(["u", "y"]);
  await expect(driver.open(memoryPanel(source({ undo }), reading(), "human"))).rejects.toThrow("The database is gone.");
});

const odd = [
  "a".repeat(1e6),
  "日本語".repeat(400),
  "👨‍👩‍👧 ".repeat(99),
  "\ud800 \u001b[2J</human>\n%_",
  "line\n".repeat(300),
  "",
];

describe.each([
  [79, 20],
  [199, 46],
  [19, 8],
  [10, 1],
])("at %d columns and %d rows", (width, max) => {
  test.each(odd)("any text fits: %.12j", (text) => {
    const read = reading({
      modules: [module(text.slice(0, 60) || "empty", text, { description: text }), module("human", text)],
      edits: new Map([["human", [revision({ before: "", after: text }), revision({ before: text, after: "x" })]]]),
    });
    let dialog = memoryPanel(source(), read, "human");
    for (const key of ["down", "pagedown", "pagedown", "u", "n", "left", "pageup"]) {
      const { rows } = dialog.draw({ width, max, now: commandTime });
      expect(rows.length).toBeLessThanOrEqual(max);
      for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(width);
      expect(JSON.stringify(rows)).not.toContain("\\u001b");
      const step = dialog.press(keyOf(key));
      if (step.type === "show") ({ dialog } = step);
    }
  });
});

test("a long value can be scrolled, and the selected edit stays visible", async () => {
  const value = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const many = Array.from({ length: 30 }, (_, index) => revision({ revision: 30 - index }));
  const driver = driveDialog(["pagedown", ...Array.from({ length: 20 }, () => "down")]);
  await driver.open(
    memoryPanel(source(), reading({ modules: [module("human", value)], edits: new Map([["human", many]]) }), "human"),
  );
  expect(driver.screens[0]).toContain("line 0\n");
  expect(driver.screens[0]).toContain("more rows");
  expect(driver.screens[1]).toContain("  line 5\n");
  expect(driver.screens[1]).not.toContain("line 4\n");
  expect(driver.screens.at(-1)).toContain("❯ r10");
});

test("/memory opens the panel at a module, and refuses one that does not exist", async () => {
  const dialogs = driveDialog(["escape"]);
  expect(shownText(await runCommand("/memory human", { dialogs }))).toBe("");
  expect(dialogs.screens[0]).toContain(" persona  [human]");
  expect(dialogs.screens[0]).toContain("❯ r1  core_memory_append, 2 h ago  +1 -0\n      + Name: Ada");
  expect(shownText(await runCommand("/memory nobody"))).toContain("It has: persona, human.");
});

test("the panel says who else holds a module and with whom it is shared", async () => {
  const sharing = new Map([["human", ["shared with ben (append)", "also held by rover"]]]);
  const driver = driveDialog(["left"]);
  await driver.open(memoryPanel(source(), reading({ sharing }), "human"));
  expect(driver.screens[0]).toContain("of the user\nshared with ben (append) · also held by rover\n  Name: Ada");
  expect(driver.screens[1]).not.toContain("shared with");
});

describe("/memory reads with whom a module is shared:", () => {
  const at = commandTime;
  const modules = {
    ...fakeModules(),
    holders: async () => [
      { agentId: "agent-scout", agentName: "scout" },
      { agentId: "agent-2", agentName: "rover\u001b[2J" },
    ],
    recipients: async () => [
      { userId: "ben", access: "append" as const, state: "accepted" as const, at },
      { userId: "eve", access: "read" as const, state: "offered" as const, at },
    ],
  };
  const read = (userId: string, scope: "user" | "agent" = "user") =>
    readSharing({ modules, userId }, "agent-scout", [module("team", "", { scope })]);

  test("the grants and the other agents of the user's own module", async () => {
    expect([...(await read("ada"))]).toEqual([
      ["team", ["shared with ben (append), eve (read, offered)", "also held by rover"]],
    ]);
  });

  test("the owner and the access of another user's module", async () => {
    expect([...(await read("ben"))]).toEqual([["team", ["of ada, who lets you append", "also held by rover"]]]);
  });

  test("nothing of the persona of a shared agent", async () => {
    expect([...(await read("ben", "agent"))]).toEqual([]);
  });
});

test("/memory history shows who changed what, and what an undo reverted", async () => {
  const runtime = createFakeRuntime({
    revisions: [
      revision({ revision: 2, before: "Name: Ada", after: "", origin: "user", toolName: null, undoes: 1 }),
      revision(),
    ],
  });
  const text = shownText(await runCommand("/memory history", { runtime }));
  expect(text).toContain("human r2  reverts r1, 2 h ago\n    - Name: Ada");
  expect(text).toContain("human r1  core_memory_append");
});
