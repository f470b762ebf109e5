// Where a passage stands in a source, as far as it is known.
import { sourceText } from "../../../src/search-source.ts";

test.each([
  [null, "handbook"],
  [{ file: "a.md" }, "handbook: a.md"],
  [{ file: "a.pdf", page: 3 }, "handbook: a.pdf, page 3"],
  [{ file: "a.md", lineFrom: 4 }, "handbook: a.md, line 4"],
  [{ file: "a.md", lineFrom: 4, lineTo: 4 }, "handbook: a.md, line 4"],
  [{ file: "a.pdf", page: 3, lineFrom: 4, lineTo: 9 }, "handbook: a.pdf, page 3, lines 4 to 9"],
])("%j", (place, text) => {
  expect(sourceText({ name: "handbook", place })).toBe(text);
});
