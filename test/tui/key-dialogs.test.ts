// Dialogs that keys open: input history, tool output, and rewind.
import { DependentEditsError } from "../../src/base/errors.ts";
import { historySearch, rewindDialog, rewindPoints, toolOutput } from "../../src/surfaces/terminal/keys/key-dialogs.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { createFakeAgent, storedMessage } from "../support/fake-agent.ts";

const inputs = ["I like TEA", "漢字 👍", "two\nlines", "I like TEA", "100%_ of </human>"];

test.each([
  ["the newest at once", ["enter"], "100%_ of </human>"],
  ["the next older one by Up", ["up", "enter"], "I like TEA"],
  ["by Ctrl+R, and back by Down", ["ctrl+r", "ctrl+r", "down", "enter"], "I like TEA"],
  ["in upper or lower case", ["tea", "enter"], "I like TEA"],
  ["CJK", ["漢", "enter"], "漢字 👍"],
  ["%_ as they are", ["%_", "enter"], "100%_ of </human>"],
  ["what stands over two lines", ["two", "enter"], "two\nlines"],
  ["after a correction", ["twx", "backspace", "enter"], "two\nlines"],
  ["after beginning anew", ["xyz", "ctrl+u", "two", "enter"], "two\nlines"],
  ["no further than the oldest", [...Array.from({ length: 9 }, () => "up"), "enter"], "漢字 👍"],
  ["nothing by Esc", ["tea", "escape"], null],
  ["nothing where nothing fits", ["zzz", "enter", "escape"], null],
])("a search accepts %s", async (_title, keys, expected) => {
  const dialogs = driveDialog(keys);
  expect(await dialogs.open(historySearch(inputs))).toBe(expected);
  expect(dialogs.hasClosed()).toBe(true);
});

test("a search shows ten inputs at once, so that the conversation stays on the screen", async () => {
  const dialogs = driveDialog(["escape"], { max: 40 });
  await dialogs.open(historySearch(Array.from({ length: 30 }, (_, index) => `input ${index}`)));
  const rows = dialogs.screens[0]?.split("\n") ?? [];
  expect([rows[0], rows[1], rows.at(-2), rows.length]).toEqual(["Earlier inputs · 30", "  input 20", "❯ input 29", 12]);
});

test("a search of huge inputs in one row stays within its space", async () => {
  const huge = ["a".repeat(1e6), "b\u001b[2Jb", "\ud800"];
  const dialogs = driveDialog(["a".repeat(200), "escape"], { width: 20, max: 1 });
  await dialogs.open(historySearch(huge));
  const wide = driveDialog(["escape"], { width: 20 });
  await wide.open(historySearch(huge));
  expect(
    Math.max(
      ...wide.screens
        .join("\n")
        .split("\n")
        .map((row) => row.length),
    ),
  ).toBeLessThanOrEqual(20);
  expect(wide.screens[0]).not.toContain("\u001b");
});

const messages = [
  storedMessage("user", "Hello."),
  storedMessage("assistant", "Hello."),
  storedMessage("user", "My name is Ada."),
  storedMessage("assistant", "Hello Ada."),
  storedMessage("user", "I like tea."),
  storedMessage("assistant", "Noted."),
];

test("the rewind list contains the user's messages, with the number of later ones", () => {
  expect(rewindPoints(messages)).toEqual([
    { text: "Hello.", count: 6 },
    { text: "My name is Ada.", count: 4 },
    { text: "I like tea.", count: 2 },
  ]);
});

test.each([
  ["the last message and its memory by Enter", ["enter"], [2], ["revert"]],
  ["an earlier one by Up", ["up", "up", "down", "enter"], [4], ["revert"]],
  ["messages alone by k", ["k"], [2], ["keep"]],
  ["later edits as well by f", ["f"], [2], ["force"]],
  ["nothing by Esc", ["up", "escape"], [], []],
])("rewinding takes %s", async (_title, keys, popped, choices) => {
  const agent = createFakeAgent({ messages });
  const rewound = await driveDialog(keys).open(rewindDialog(agent, rewindPoints(messages)));
  expect(agent.popped).toEqual(popped);
  expect(agent.choices).toEqual(choices);
  expect(rewound?.point.count).toBe(popped[0]);
});

test("dependent edits of a rewind are thrown, for the dialog to show", async () => {
  const standsOn = new DependentEditsError([{ label: "human", revisions: [2], later: [3] }]);
  const agent = createFakeAgent({ messages, standsOn });
  await expect(driveDialog(["enter"]).open(rewindDialog(agent, rewindPoints(messages)))).rejects.toBe(standsOn);
});

test("tool output is complete, begins with the last call, and can be scrolled", async () => {
  const text = Array.from({ length: 100 }, (_, index) => `row ${index}`).join("\n");
  const dialog = toolOutput([
    { kind: "tool-call", name: "first", arguments: "{}" },
    { kind: "tool-result", status: "ok", text: "one" },
    { kind: "user", text: "not of a tool" },
    { kind: "tool-call", name: "second", arguments: '{"a":1}' },
    { kind: "tool-result", status: "failed", text: `${text}\u001b[31m` },
  ]);
  const dialogs = driveDialog(["end", "home", "pagedown", "down", "q"], { max: 10 });
  await dialogs.open(dialog!);
  const [opened, end, home, paged, down] = dialogs.screens;
  expect(opened).toMatch(/rows 5 to 13 of 107\n⏺ second/u);
  expect(end).toContain("row 99");
  expect(home).toMatch(/rows 1 to 9 of 107\n⏺ first/u);
  expect(paged).toContain("rows 10 to 18");
  expect(down).toContain("rows 11 to 19");
  expect(dialogs.screens.join("")).not.toContain("not of a tool");
  expect(dialogs.hasClosed()).toBe(true);
});

test("a result of a million characters is shown up to 200,000, with a note", async () => {
  const dialog = toolOutput([{ kind: "tool-result", status: "ok", text: "x".repeat(1e6) }]);
  const dialogs = driveDialog(["end", "escape"], { max: 5 });
  await dialogs.open(dialog!);
  expect(dialogs.screens[1]).toContain("(800000 characters more)");
});

test("without tool calls there is nothing to show", () => {
  expect(toolOutput([{ kind: "user", text: "hello" }])).toBeNull();
});
