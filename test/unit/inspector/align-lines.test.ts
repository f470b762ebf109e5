// Differences between texts as the inspector shows them, and which revision wrote each line.
import { linesOf } from "../../../src/base/line-diff.ts";
import { alignLines, changedSpans, diffRows } from "../../../src/surfaces/inspector/parts/align-lines.ts";
import { lineOrigins } from "../../../src/surfaces/inspector/memory/line-origins.ts";

const written = (before: string, after: string) => diffRows(before, after).map(({ sign, text }) => sign + text);

test.each([
  ["", "", []],
  ["", "a\nb", ["+a", "+b"]],
  ["a\nb", "", ["-a", "-b"]],
  ["a\nb\nc", "a\nB\nc", [" a", "-b", "+B", " c"]],
  ["a\nb\nc\nd", "a\nc\nx\nd", [" a", "-b", " c", "+x", " d"]],
  ["a\na", "a", [" a", "-a"]],
])("%j to %j", (before, after, rows) => {
  expect(written(before, after)).toEqual(rows);
});

test("both texts can be read back, also from a huge change", () => {
  const before = Array.from({ length: 700 }, (_, at) => `line ${at % 50}`).join("\n");
  const after = Array.from({ length: 600 }, (_, at) => `line ${at % 49}`).join("\n");
  const rows = diffRows(before, after);
  const back = (left: string) => rows.flatMap(({ sign, text }) => (sign === left ? [] : [text])).join("\n");
  expect(back("+")).toBe(before);
  expect(back("-")).toBe(after);
});

test("aligned lines are equal and in order", () => {
  const before = linesOf("x\na\nb\nc\ny");
  const after = linesOf("a\nc\nb\ny\nz");
  const found = alignLines(before, after);
  expect(found.every((from, at) => from === -1 || before[from] === after[at])).toBe(true);
  const known = found.filter((from) => from !== -1);
  expect(known).toEqual([...known].sort((one, other) => one - other));
  expect(known).toHaveLength(3);
});

test("the words that differ are marked", () => {
  expect(changedSpans("Lives in: Lisbon now", "Lives in: Porto now")).toEqual([
    [
      { text: "Lives in: ", isChanged: false },
      { text: "Lisbon", isChanged: true },
      { text: " now", isChanged: false },
    ],
    [
      { text: "Lives in: ", isChanged: false },
      { text: "Porto", isChanged: true },
      { text: " now", isChanged: false },
    ],
  ]);
});

test("each line has the revision that wrote it", () => {
  const changes = [
    { revision: 4, before: "a\nb2\nc", after: "a\nb2\nc\nd" },
    { revision: 3, before: "a\nb\nc", after: "a\nb2\nc" },
    { revision: 2, before: "a\nb", after: "a\nb\nc" },
  ];
  expect(lineOrigins("a\nb2\nc\nd", changes)).toEqual([
    { text: "a", revision: null },
    { text: "b2", revision: 3 },
    { text: "c", revision: 2 },
    { text: "d", revision: 4 },
  ]);
  // A line that was removed and written again is of the revision that wrote it again.
  const again = [
    { revision: 3, before: "a", after: "a\nb" },
    { revision: 2, before: "a\nb", after: "a" },
    { revision: 1, before: "", after: "a\nb" },
  ];
  expect(lineOrigins("a\nb", again).map(({ revision }) => revision)).toEqual([1, 3]);
});

test("revisions that do not fit the text explain nothing", () => {
  expect(lineOrigins("a\nb", [{ revision: 9, before: "", after: "other" }])).toEqual([
    { text: "a", revision: null },
    { text: "b", revision: null },
  ]);
  expect(lineOrigins("", [])).toEqual([]);
});
