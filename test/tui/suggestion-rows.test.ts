// The list of suggestions below the prompt: its rows, headings and window.
import { commands } from "../../src/surfaces/terminal/commands/registry.ts";
import { candidatesOf } from "../../src/surfaces/terminal/input/completion.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { suggestionRows } from "../../src/surfaces/terminal/rows/suggestion-rows.ts";

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
