// Folding makes searches ignore case and diacritics.
import { foldText } from "../../../src/base/fold-text.ts";

describe("foldText", () => {
  it.each([
    ["ÄRGER", "arger"],
    ["İstanbul", "istanbul"],
    ["ΟΔΥΣΣΕΥΣ", "οδυσσευσ"],
    ["Straße", "strasse"],
    ["Yıldız Łódź Ærø", "yildiz lodz aero"],
    ["ﬁsh ①", "fish 1"],
    ["が한국", "が한국"],
    ["हिन्दी", "हिन्दी"],
    ["a\u0000b\ud800", "a\uFFFDb\uFFFD"],
  ])("folds %j to %j", (text, folded) => {
    expect(foldText(text)).toBe(folded);
    expect(foldText(folded)).toBe(folded);
  });
});
