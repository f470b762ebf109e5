// Only what differs is shown.
import { changedLines } from "../../../src/cli/changed-lines.ts";

describe("changedLines", () => {
  it.each([
    ["", "a", [], ["a"]],
    ["a", "", ["a"], []],
    ["a\nb\nc", "a\nx\nc", ["b"], ["x"]],
    ["a", "a\nb", [], ["b"]],
    ["a\na", "a\na\na", [], ["a"]],
    ["a\nb", "a\nb", [], []],
    ["a\n\nb", "a\nb", [""], []],
  ])("%j to %j", (before, after, removed, added) => {
    expect(changedLines(before, after)).toEqual({ removed, added });
  });
});
