// The words of a summary that must be carried over as they are.
import { identifiersIn } from "../../../src/context/compaction/summarize.ts";

test("numbers, dates, codes, addresses and names of files are found, as they are in the text", () => {
  const text =
    'On 2026-03-03 (14:30), Ada sent "lease_v2.pdf" and INV-2231 over €1,250.50, 19% of it tax; see ada@globex.com, https://x.io/a-b and row 7. Nothing else changed.';
  expect(identifiersIn(text)).toEqual([
    "2026-03-03",
    "14:30",
    "lease_v2.pdf",
    "INV-2231",
    "€1,250.50",
    "19%",
    "ada@globex.com",
    "https://x.io/a-b",
  ]);
});

test("each is found once, the last 150 of them, and none in a text without", () => {
  expect(identifiersIn("A-1 and A-1")).toEqual(["A-1"]);
  expect(identifiersIn("We talked about boats. All is well...")).toEqual([]);
  const many = identifiersIn(Array.from({ length: 500 }, (_, at) => `no-${at}`).join(" "));
  expect(many).toHaveLength(150);
  expect(many.at(-1)).toBe("no-499");
});
