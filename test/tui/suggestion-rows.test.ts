// The list of suggestions below the prompt: its rows, headings and window; the suggested command for an unknown one; and the user's
// own commands: what they send, and where they are listed.
import { commands, nearestCommand, unknownCommand } from "../../src/surfaces/terminal/commands/registry.ts";
import { candidatesOf } from "../../src/surfaces/terminal/input/completion.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { suggestionRows } from "../../src/surfaces/terminal/rows/suggestion-rows.ts";
import { runOwnCommand } from "../../src/surfaces/terminal/conversation.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { runCommand } from "../support/run-command.ts";

const own = {
  kind: "prompt",
  name: "review",
  usage: "/review FILE",
  summary: "look at it",
  topic: "Own commands",
} as const;
const server = { kind: "prompt", name: "words:greet", summary: "greet" } as const;
const all = candidatesOf({ editor: editorOf("/"), listing: null, offers: [own, server] }, commands);
const rowsOf = (chosen: number | null, max: number, shown = all) => suggestionRows(shown, chosen, max).map(rowText);

test("a slash lists all commands by topic, then own ones, and those of MemGPT last", () => {
  const headings = rowsOf(null, 100).filter((row) => /^ {2}[A-Z]/u.test(row));
  const topics = ["Memory", "Replies", "Conversations", "Agent", "Chat", "Own commands", "MCP servers", "MemGPT"];
  expect(headings.map((row) => row.trim())).toEqual(topics);
  expect(rowsOf(null, 100)).toHaveLength(all.length + topics.length);
  expect(rowsOf(null, 100)).toContainEqual(expect.stringMatching(/^ {2}\/review FILE +look at it$/u));
});

test("as many rows as there is room, around the selected one, with the number of the others", () => {
  for (const max of [0, 1, 2, 7, 20])
    for (const chosen of [null, 0, 5, all.length - 1]) {
      const rows = rowsOf(chosen, max);
      expect(rows).toHaveLength(max);
      if (chosen !== null && max > 1) expect(rows.filter((row) => row.startsWith("› "))).toHaveLength(1);
      if (max > 0) expect(rows.at(-1)).toMatch(/^ {2}… \d+ more$/u);
    }
});

test("a few suggestions have no headings", () => {
  const few = candidatesOf({ editor: editorOf("/re"), listing: null, offers: [own] }, commands);
  expect(few.length).toBeGreaterThan(3);
  expect(rowsOf(null, 20, few)).toHaveLength(few.length);
});

const names = commands.map(({ name }) => name);

test.each([
  ["memroy", "memory"],
  ["sumarize", "summarize"],
  ["hepl", "help"],
  ["atach", "attach"],
  ["systemswp", "systemswap"],
  ["quit", "exit"],
  ["q", "exit"],
  ["clear", "new"],
  ["savechat", "save"],
  ["load", "attach"],
  ["sum", "summarize"],
  ["mem", "memory"],
  ["arch", "archival"],
  ["xyzzyq", undefined],
  ["x", undefined],
  ["tostring", undefined],
  ["constructor", undefined],
  ["字", undefined],
])("/%s suggests %s", (typed, expected) => {
  expect(nearestCommand(typed, names)).toBe(expected);
});

test("every suggestion is an existing command", () => {
  for (const typed of ["quit", "clear", "cost", "?", "ask"]) expect(names).toContain(nearestCommand(typed, names));
  expect(nearestCommand("quit", ["help"])).toBeUndefined();
});

test("a huge unknown name is shown in part, without a suggestion", () => {
  const huge = "a".repeat(1e6);
  expect(nearestCommand(huge, names)).toBeUndefined();
  expect(unknownCommand(huge).items).toMatchObject([
    { level: "failure", text: `There is no command /${"a".repeat(40)}….` },
  ]);
  expect(unknownCommand("memroy").items).toMatchObject([
    { text: "There is no command /memroy. Did you mean /memory?" },
  ]);
});

const review = {
  name: "review",
  summary: "look at it",
  form: "FILE [FOCUS]",
  textFor: (given: string) => `Review ${given}.`,
};
const listCommands = async () => [review];

test("sends its text, and an unknown name is not one", async () => {
  const sent = await runOwnCommand("review", { argument: "a.md", listCommands });
  expect(sent?.effect).toEqual({ type: "send", text: "Review a.md.", files: [] });
  expect(await runOwnCommand("other", { argument: "", listCommands })).toBeNull();
  expect(await runOwnCommand("review", { argument: "" })).toBeNull();
});

test("/help has a page of them", async () => {
  const dialogs = driveDialog(["left", "left", "escape"]);
  await runCommand("/help", { dialogs, listCommands });
  expect(dialogs.screens[2]).toMatch(/\[Own\][^]*\n {2}\/review FILE \[FOCUS\] +look at it/u);
});
