// `@path`: which words are file names, and the suggestions while one is typed.
import { candidatesOf, completed, type Listing } from "../../src/tui/input/completion.ts";
import { editorOf } from "../../src/tui/input/line-editor.ts";
import { mentionAt, mentionedPaths, withoutMarks } from "../../src/tui/input/mentions.ts";

test.each([
  ["read @notes.md", ["notes.md"]],
  ["@a @b @a", ["a", "b"]],
  ['see @"my notes/first plan.md" now', ["my notes/first plan.md"]],
  ["write to ada@example.com", []],
  ['(no) @"a b.md", then', ["a b.md"]],
  ["a lone @ and @", []],
  ["@漢字.md\n@~/x", ["漢字.md", "~/x"]],
  ["@../up @/etc/hosts", ["../up", "/etc/hosts"]],
  ["@\u0000", ["\u0000"]],
  [`@${"a".repeat(1e6)} ${"@".repeat(1e5)}`, []],
  ["</human> @%_", ["%_"]],
])("%j names %j", (text, expected) => {
  expect(mentionedPaths(text)).toEqual(expected);
});

test("a message names 20 files at most", () => {
  expect(mentionedPaths(Array.from({ length: 1_000 }, (_, index) => `@f${index}`).join(" "))).toHaveLength(20);
});

test.each([
  ["notes.md,", "notes.md"],
  ["notes.md).", "notes.md"],
  ["...", ""],
])("%j without punctuation is %j", (path, expected) => {
  expect(withoutMarks(path)).toBe(expected);
});

test.each([
  ["@", { from: 0, isQuoted: false, folder: "", name: "" }],
  ["see @src/tu", { from: 4, isQuoted: false, folder: "src/", name: "tu" }],
  ['@"my no', { from: 0, isQuoted: true, folder: "", name: "my no" }],
  ["ada@ex", null],
  ["@a b", null],
  ['@"a" ', null],
  ["", null],
  [`@${"a".repeat(600)}`, null],
])("before the cursor of %j is %j", (text, expected) => {
  expect(mentionAt(editorOf(text))).toEqual(expected);
});

const listing: Listing = {
  folder: "",
  entries: [
    { name: "src", isFolder: true },
    { name: "my notes", isFolder: true },
    { name: "alpha.md", isFolder: false },
    { name: "alpine.md", isFolder: false },
    { name: ".env", isFolder: false },
  ],
};
const labels = (text: string): readonly string[] =>
  candidatesOf({ editor: editorOf(text), listing }, []).map(({ label }) => label);
const tabbed = (text: string): string | undefined => completed({ editor: editorOf(text), listing }, [])?.text;

test("hidden files are offered only after a typed dot", () => {
  expect(labels("@")).toEqual(["src/", "my notes/", "alpha.md", "alpine.md"]);
  expect(labels("@.")).toEqual([".env"]);
});

test("a listing of another folder offers nothing", () => {
  expect(labels("@src/")).toEqual([]);
});

test("Tab completes the common prefix, then the first; a name with a blank gets quotes", () => {
  expect(tabbed("read @a")).toBe("read @alp");
  expect(tabbed("read @alp")).toBe("read @alpha.md ");
  expect(tabbed("@S")).toBe("@src/");
  expect(tabbed("@my")).toBe('@"my notes/');
  expect(tabbed("@x")).toBeUndefined();
});
