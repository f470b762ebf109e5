// A query is text: only one pair of double quotes around all of it means something.
import { searchTermsOf } from "../../../src/store/search/search-terms.ts";

const nothing = { isLiteral: false, words: "", terms: null, identifiers: null, innerWords: "" };
const names = "'userid'";
const literal = { ...nothing, isLiteral: true };

describe("searchTermsOf", () => {
  it.each([
    ["Red Boat ", { ...nothing, pattern: "%red boat%", words: "red boat" }],
    [`"Red Boat"`, { ...literal, pattern: "%red boat%" }],
    [
      `"the Red Boat's sail on 5 seas, is"`,
      { ...literal, pattern: "%the red boat's sail on 5 seas, is%", innerWords: "red sail on" },
    ],
    [`"100%_\\x"`, { ...literal, pattern: String.raw`%100\%\_\\x%` }],
    [`" x "`, { ...literal, pattern: "% x %", innerWords: "x" }],
    [`say "x"`, { ...nothing, pattern: `%say "x"%`, words: `say "x"` }],
    [`"`, { ...nothing, pattern: `%"%`, words: `"` }],
    ["Wo ist das Boot", { ...nothing, pattern: "%wo ist das boot%", words: "      boot" }],
    [" ", { ...nothing, pattern: null }],
    ["海边划船", { ...nothing, pattern: "%海边划船%", words: "海边划船", terms: "'海边' | '边划' | '划船'" }],
    ["user_id", { ...nothing, pattern: "%user\\_id%", words: "user_id", terms: names, identifiers: names }],
  ])("reads %j", (query, terms) => {
    expect(searchTermsOf(query)).toEqual(terms);
  });

  it("is limited in words and terms", () => {
    expect(searchTermsOf("word ".repeat(100_000)).words.length).toBe(2000);
    const many = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
    expect(searchTermsOf(many).terms!.split(" | ")).toHaveLength(64);
  });
});
