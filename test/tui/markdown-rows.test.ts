// Rendering Markdown as rows: each kind of block, at any width, for any text.
import fc from "fast-check";
import { markdownRows } from "../../src/surfaces/terminal/markdown/markdown-rows.ts";
import { rowText, rowWidth, type Tone } from "../../src/surfaces/terminal/rows/row.ts";

const drawn = (text: string, width = 60): readonly string[] =>
  markdownRows(text, { width, tone: "plain" }).map(rowText);

function tonesOf(text: string): Readonly<Record<string, Tone>> {
  const spans = markdownRows(text, { width: 80, tone: "plain" }).flat();
  return Object.fromEntries(spans.map((part) => [part.text.trim(), part.tone]));
}

test.each([
  ["headings without their marks", "# One\n## Two", ["One", "", "Two"]],
  ["line breaks as they were written", "one\ntwo", ["one", "two"]],
  ["nested lists set in", "- a\n  - b\n    1. c\n- d", ["• a", "  • b", "    1. c", "• d"]],
  ["numbers from where they start", "7. a\n8. b", ["7. a", "8. b"]],
  ["a number that is counted, not read", "1. a\n1. b", ["1. a", "2. b"]],
  ["tasks with their boxes", "- [ ] open\n- [x] done", ["• [ ] open", "• [x] done"]],
  ["paragraphs of an item apart", "- a\n\n  b\n- c", ["• a", "", "  b", "• c"]],
  ["code of an item under it", "1. a\n   ```ts\n   x()\n   ```", ["1. a", "", "     x()"]],
  ["code set in, without its fence", "```ts\nif (a) {\n  b();\n}\n```", ["  if (a) {", "    b();", "  }"]],
  ["an unclosed fence as code", "```\n- a\n# b", ["  - a", "  # b"]],
  ["quotes with a bar", "> a\n> - b", ["│ a", "│", "│ • b"]],
  ["a rule over the width", "a\n\n---\n\nb", ["a", "", "─".repeat(60), "", "b"]],
  ["a link with where it goes", "[here](https://example.org)", ["here (https://example.org)"]],
  ["a bare link once", "see https://example.org", ["see https://example.org"]],
  ["an image by what it is", "![a cat](cat.png)", ["a cat (cat.png)"]],
  ["entities as what they stand for", "a &lt;b&gt; &amp;amp; c", ["a <b> &amp; c"]],
  ["HTML as it was written", "<div>\nx\n</div>", ["<div>", "x", "</div>"]],
  ["a reference as it was written", "[1]: https://example.org", ["[1]: https://example.org"]],
  ["nothing for nothing", "", []],
  ["an item without a text", "-\n- b", ["•", "• b"]],
  ["a frame as text", "</human>", ["</human>"]],
])("draws %s", (_title, text, expected) => {
  expect(drawn(text).map((row) => row.trimEnd())).toEqual(expected);
});

test("gives the lines of a diff their tones", () => {
  const tones = tonesOf("```diff\n@@ -1 +1 @@\n- old\n+ new\n```");
  expect(tones).toMatchObject({ "@@ -1 +1 @@": "code", "- old": "removed", "+ new": "added" });
});

test("gives emphasis, code and links their tones", () => {
  expect(tonesOf("# head\n\n*em* **strong** ~~gone~~ `code` [text](http://u)")).toMatchObject({
    head: "heading",
    em: "emphasis",
    strong: "strong",
    gone: "deleted",
    code: "code",
    text: "link",
    "(http://u)": "faint",
  });
});

test.each([
  ["ts", 'const a = "x"; // why', { const: "keyword", '"x"': "string", "// why": "comment" }],
  ["python", "def f(): # why", { def: "keyword", "# why": "comment" }],
  ["json", '{"a": 12}', { "12": "literal" }],
  ["unheard-of", "const a", { "const a": "code" }],
] as const)("highlights %s", (language, code, expected) => {
  expect(tonesOf(`\`\`\`${language}\n${code}\n\`\`\``)).toMatchObject(expected);
});

test("a table has aligned columns", () => {
  expect(drawn("| a | number |\n|---|---:|\n| long one | 7 |\n| 日本 | **12** |")).toEqual([
    "a        │ number",
    "─────────┼───────",
    "long one │      7",
    "日本     │     12",
  ]);
});

test("a table that is too wide wraps its cells; one with too many columns is shown field by field", () => {
  const table = "| name | what |\n|---|---|\n| ada | one two three four |";
  expect(drawn(table, 20)).toEqual(
    ["name │ what", "─────┼──────────────", "ada  │ one two three", "     │ four"].map((row, index) =>
      index === 1 ? expect.stringMatching(/^─+┼─+$/) : row,
    ),
  );
  expect(drawn("|a|b|c|\n|-|-|-|\n|1|2|3|\n|4|5|6|", 12)).toEqual([
    "a: 1",
    "b: 2",
    "c: 3",
    "────",
    "a: 4",
    "b: 5",
    "c: 6",
  ]);
});

const pieces = fc.constantFrom(
  "- ",
  "1. ",
  "> ",
  "# ",
  "```",
  "```ts\n",
  "|a|b|\n|-|-|\n",
  "|x|y|\n",
  "\n",
  "\n\n",
  "  ",
  "    ",
  "**",
  "*",
  "_",
  "`",
  "~~",
  "[",
  "](u)",
  "<b>",
  "&amp;",
  "---\n",
  "word ",
  "日本",
  "👩‍👩‍👧‍👦",
  "\ud800",
  "\u0000",
  "%_",
  "</human>",
  "\u001b[31m",
  "\ufdd0",
  "\ufdd03\ufdd0",
);

test("no row is wider than the width, whatever the text", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 6, max: 60 }), (parts, width) =>
      markdownRows(parts.join(""), { width, tone: "plain" }).every((row) => rowWidth(row) <= width),
    ),
    { numRuns: 500 },
  );
});

const lettersOf = (text: string): number => text.split("a").length - 1;

test.each([
  ["a", 200_000],
  ["**a", 30_000],
  ["*a_", 30_000],
  ["> a", 30_000],
  ["> ", 30_000],
  ["- ", 30_000],
  ["1. a", 30_000],
  ["[a", 30_000],
  ["|a", 30_000],
  ["- a\n", 20_000],
  ["`a", 30_000],
])("loses no character of %j, %d times", (piece, count) => {
  const text = `a\n\n${piece.repeat(count)}`;
  expect(drawn(text, 80).reduce((sum, row) => sum + lettersOf(row), 0)).toBe(lettersOf(text));
});

test.each([
  ["what Markdown links", "[here](https://example.org/a b)", ["https://example.org/a"]],
  ["a link", "[here](https://example.org)", ["https://example.org"]],
  ["a bare link on two rows", `https://example.org/${"a".repeat(90)}`, [`https://example.org/${"a".repeat(90)}`]],
  ["an address in other letters", "[x](https://example.org/é%20?a=1)", ["https://example.org/%C3%A9%20?a=1"]],
  ["an e-mail address", "ada@example.org", ["mailto:ada@example.org"]],
  ["no file, and no script", "[a](file:///etc/passwd) [b](javascript:alert) [c](/d)", []],
])("links %s", (_title, text, expected) => {
  const spans = markdownRows(text, { width: 60, tone: "plain" }).flat();
  expect([...new Set(spans.map(({ link }) => link).filter((link) => link !== undefined))]).toEqual(expected);
  for (const { link } of spans) expect(link ?? "").toMatch(/^[\u0021-\u007e]*$/u);
});
