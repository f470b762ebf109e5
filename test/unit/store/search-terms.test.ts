// A query is text: only one pair of double quotes around all of it means something.
import { searchTermsOf } from "../../../src/store/search-terms.ts";

describe("searchTermsOf", () => {
  it.each([
    ["Red Boat ", { pattern: "%red boat%", words: "red boat", fragments: [] }],
    [`"Red Boat"`, { pattern: "%red boat%", words: "", fragments: [] }],
    [`" x "`, { pattern: "% x %", words: "", fragments: [] }],
    [`say "x"`, { pattern: `%say "x"%`, words: `say "x"`, fragments: [] }],
    [`"`, { pattern: `%"%`, words: `"`, fragments: [] }],
    [" ", { pattern: null, words: "", fragments: [] }],
    ["海边划船", { pattern: "%海边划船%", words: "海边划船", fragments: ["%海边%", "%边划%", "%划船%"] }],
  ])("reads %j", (query, terms) => {
    expect(searchTermsOf(query)).toEqual(terms);
  });

  it("looks for so many words and no more", () => {
    expect(searchTermsOf("word ".repeat(100_000)).words.length).toBe(2000);
    expect(searchTermsOf("海".repeat(100_000)).fragments.length).toBeLessThanOrEqual(40);
  });
});
