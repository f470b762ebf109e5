// What the model sees of a passage that another one has replaced.
import { formatSearchPage } from "../../../src/tool/search-results.ts";

test("a passage that was replaced is short, and the one that counts is not", () => {
  const text = `The rent is 11,450 kronor. ${"It is due on the third day. ".repeat(10)}`;
  const at = new Date(0);
  const hit = {
    id: "0190a000-0000-7000-8000-00000000000a",
    text,
    at,
    trust: "user" as const,
    origin: "model" as const,
  };
  const replacement = { ...hit, id: "0190a000-0000-7000-8000-00000000000b" };
  const results = { hits: [replacement, { ...hit, replacement }], page: 0, pageSize: 5, total: 2, wordsAlone: false };
  const [, current = "", replaced = ""] = formatSearchPage(results, { timeZone: "UTC", query: "rent" }).split("\n");
  expect(current.length).toBeGreaterThan(300);
  expect(replaced).toMatch(/^\[2\] .*, replaced by 0000000b: The rent is 11,450 kronor\./u);
  expect(replaced.length).toBeLessThan(200);
});
