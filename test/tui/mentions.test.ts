// `@path`: which words are file names, and the suggestions while one is typed.
import {
  candidatesOf,
  completed,
  type Listing,
  type ServerOffer,
} from "../../src/surfaces/terminal/input/completion.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { mentionAt, mentionedPaths, withoutMarks } from "../../src/surfaces/terminal/input/mentions.ts";

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
  nested: [
    { name: "src/tui", isFolder: true },
    { name: "src/tui/mentions.ts", isFolder: false },
    { name: "src/tui/line-editor.ts", isFolder: false },
    { name: "my notes/plan.md", isFolder: false },
    { name: "my notes/alphabet.md", isFolder: false },
  ],
};
const labels = (text: string): readonly string[] =>
  candidatesOf({ editor: editorOf(text), listing, offers: [] }, []).map(({ label }) => label);
const tabbed = (text: string): string | undefined =>
  completed({ editor: editorOf(text), listing, offers: [] }, [])?.text;

test("hidden files are offered only after a typed dot", () => {
  expect(labels("@")).toEqual(["src/", "my notes/", "alpha.md", "alpine.md"]);
  expect(labels("@.")).toEqual([".env"]);
});

test("a listing of another folder offers nothing", () => {
  expect(candidatesOf({ editor: editorOf("@src/"), listing: { ...listing, nested: [] }, offers: [] }, [])).toEqual([]);
});

test("Tab completes the common prefix, then the first; a name with a blank gets quotes", () => {
  expect(tabbed("read @a")).toBe("read @alp");
  expect(tabbed("read @alp")).toBe("read @alpha.md ");
  expect(tabbed("@S")).toBe("@src/");
  expect(tabbed("@my")).toBe('@"my notes/');
  expect(tabbed("@zz")).toBeUndefined();
});

test.each([
  ["@al", ["alpha.md", "alpine.md", "my notes/alphabet.md"]],
  ["@alph", ["alpha.md", "my notes/alphabet.md"]],
  ["@ment", ["src/tui/mentions.ts"]],
  // The beginning of a word before the middle of one.
  ["@editor", ["src/tui/line-editor.ts"]],
  ["@lned", ["src/tui/line-editor.ts", "alpine.md"]],
  ["@sme", ["src/tui/mentions.ts"]],
  ["@TUI", ["src/tui/", "src/tui/mentions.ts", "src/tui/line-editor.ts"]],
  ["@plan.md", ["my notes/plan.md"]],
  ["@xyz", []],
])("%j offers %j", (text, expected) => {
  expect(labels(text)).toEqual(expected);
});

test("a file below a folder is inserted with its path", () => {
  expect(tabbed("see @ment")).toBe("see @src/tui/mentions.ts ");
  expect(tabbed("see @plan")).toBe('see @"my notes/plan.md" ');
});

test("a typed part of a path offers the paths that contain it", () => {
  expect(labels("@tui/men")).toEqual(["src/tui/mentions.ts"]);
  expect(tabbed("@tui/men")).toBe("@src/tui/mentions.ts ");
});

test("resources follow the files, prompts the commands, by their beginning and by letters of a resource", () => {
  const offers: readonly ServerOffer[] = [
    { kind: "resource", name: "src:notes/alpha.md", summary: "The first." },
    { kind: "resource", name: "Words:boat", summary: "" },
    { kind: "prompt", name: "words:Greet", summary: "Greets." },
    { kind: "prompt", name: "memo:all", summary: "" },
  ];
  const commands = [{ name: "memory", usage: "/memory", summary: "" }];
  const shown = (text: string) => candidatesOf({ editor: editorOf(text), listing, offers }, commands);
  const labelled = (text: string) => shown(text).map(({ label }) => label);
  const tab = (text: string) => completed({ editor: editorOf(text), listing, offers }, commands)?.text;
  expect(labelled("@src")).toEqual([
    "src/",
    "src:notes/alpha.md",
    "src/tui/",
    "src/tui/mentions.ts",
    "src/tui/line-editor.ts",
  ]);
  expect(labelled("see @words:")).toEqual(["Words:boat"]);
  expect(labelled("@boat")).toEqual(["Words:boat"]);
  expect(shown("@src:notes/")).toMatchObject([{ label: "src:notes/alpha.md", summary: "The first." }]);
  expect([tab("see @words:"), tab("@src:notes/a"), tab("@sr")]).toEqual([
    "see @Words:boat ",
    "@src:notes/alpha.md ",
    "@src",
  ]);
  expect(labelled("/me")).toEqual(["/memory", "/memo:all"]);
  expect([tab("/me"), tab("/memo:"), tab("/WORDS")]).toEqual(["/memo", "/memo:all ", "/words:Greet "]);
  expect(labelled("/words:Greet who=Ada")).toEqual([]);
});

test("suggestions by letters are limited", () => {
  const nested = Array.from({ length: 5_000 }, (_, index) => ({ name: `a/file-${index}.md`, isFolder: false }));
  const typed = { editor: editorOf("@fle"), listing: { folder: "", entries: [], nested }, offers: [] };
  expect(candidatesOf(typed, [])).toHaveLength(50);
});
