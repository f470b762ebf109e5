// A change of core memory in listings: only lines that differ are shown, in the JSON and in the text.
import { diffShape } from "../../../src/surfaces/cli/commands/memory.ts";

test("a line that both revisions contain is not listed as changed, even between two changes", () => {
  const before = "Name: Ada\nLikes: tea\nAge: 36";
  const after = "Name: Eve\nLikes: tea\nAge: 37";
  expect(diffShape({ label: "human", from: 1, to: 2, before, after })).toMatchObject({
    removed: ["Name: Ada", "Age: 36"],
    added: ["Name: Eve", "Age: 37"],
  });
});
