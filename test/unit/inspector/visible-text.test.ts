// Stored text as the inspector shows it: nothing in it can hide or reorder other text.
import { beginningOf, visibleText } from "../../../src/surfaces/inspector/parts/visible-text.ts";

test.each([
  ["a\u001B[31mred", "a⟨U+001B⟩[31mred"],
  ["user\u202Eegassem", "user⟨U+202E⟩egassem"],
  ["\u2066x\u2069\u200F\u061C", "⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"],
  ["zero\u200Bwidth\uFEFF", "zero⟨U+200B⟩width⟨U+FEFF⟩"],
  ["tag\u{E0041}", "tag⟨U+E0041⟩"],
  ["\u0000\u009B\u2028", "⟨U+0000⟩⟨U+009B⟩⟨U+2028⟩"],
  ["line\r\nnext\ttab", "line\nnext\ttab"],
  ["lone\rreturn", "lone⟨U+000D⟩return"],
  // Joiners that scripts and emoji need stay.
  ["\u0646\u200C\u0645 👩\u200D💻", "\u0646\u200C\u0645 👩\u200D💻"],
])("%j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("a beginning ends with a whole character", () => {
  expect(beginningOf("ab😀", 3)).toBe("ab");
  expect(beginningOf("ab😀", 4)).toBe("ab😀");
  expect(beginningOf("abc", 2)).toBe("ab");
});
