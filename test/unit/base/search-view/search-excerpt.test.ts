// Excerpts: a text in pieces, and a long one around its best matches.
import { excerptPieces, findMatches } from "../../../../src/base/search-view/search-pieces.ts";

const shown = (text: string, query: string, length: number): string =>
  excerptPieces(text, findMatches(text, query), length)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("");

describe("excerptPieces", () => {
  it.each([
    ["leaves a short text whole", "Ada sails.", "sail", 80, "Ada [sails]."],
    ["begins at the beginning when nothing matches", "one two three four", "five", 7, "one two…"],
    ["begins at a word before the first match", "aa bb cc dd ee ff gg sail hh ii", "sail", 16, "…gg [sail] hh ii"],
    ["ends at the end", "aa bb cc dd ee ff gg sail", "sail", 10, "…gg [sail]"],
    ["cuts a match that is too long", "xx abcdefghij", '"abcdefghij"', 6, "…[abcdef]…"],
    ["is empty for an empty text", "", "a", 10, ""],
  ])("%s", (_what, ...[text, query, length, expected]) => {
    expect(shown(text, query, length)).toBe(expected);
  });

  it("shows the place with the most words of the query, not the first match", () => {
    const lease = `Lease of the hall. ${"The hall is let as it is. ".repeat(20)}Singing in the hall: hours from 9 to 21. ${"No smoking. ".repeat(20)}`;
    expect(shown(lease, "singing hours in the hall", 60)).toContain("[Singing] in the [hall]: [hours] from 9 to 21.");
  });

  it("prefers a rare word to one that is everywhere", () => {
    const text = `${"boat ".repeat(30)}and the anchor ${"boat ".repeat(30)}`;
    expect(shown(text, "boat anchor", 40)).toContain("[anchor]");
  });

  it("splits no character, wherever the cut is", () => {
    const text = `${"👨‍👩‍👧 e\u0301".repeat(20)} sail ${"👨‍👩‍👧e\u0301".repeat(20)}`;
    for (let length = 20; length < 60; length += 1) {
      const cut = shown(text, "sail", length).replaceAll(/[…[\]]/gu, "");
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toMatch(/^[\u0301\u200d]|\u200d$|👨$/u);
      expect(text).toContain(cut);
    }
  });

  it("handles a million letters before a match, and a million combining marks", () => {
    expect(shown(`${"a".repeat(1e6)} sail`, "sail", 40)).toBe(`…${"a".repeat(35)} [sail]`);
    const pile = `${"x ".repeat(50)}a${"\u0301".repeat(1e6)}`;
    expect(shown(pile, "nothing", 200).length).toBeLessThanOrEqual(201);
  });
});
