// The lines that differ between two texts.
import { diffLines } from "../../../src/base/line-diff.ts";

test.each([
  ["", "a", ["+a"]],
  ["a", "", ["-a"]],
  ["a\nb\nc", "a\nx\nc", ["-b", "+x"]],
  ["a", "a\nb", ["+b"]],
  ["a\na", "a\na\na", ["+a"]],
  ["a\nb", "a\nb", []],
  ["a\n\nb", "a\nb", ["-"]],
  ["a\nb\nc", "x\nb\ny", ["-a", "+x", "-c", "+y"]],
])("%j to %j", (before, after, expected) => {
  expect(diffLines(before, after).map(({ sign, text }) => sign + text)).toEqual(expected);
});

test("two long texts without a common beginning or end are replaced completely", () => {
  const lines = (letter: string): string[] => Array.from({ length: 600 }, (_, index) => letter + index);
  const changes = diffLines(["a", "same", ...lines("b")].join("\n"), ["c", "same", ...lines("d")].join("\n"));
  expect(changes).toHaveLength(2 * 602);
});
