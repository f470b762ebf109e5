// Folds text for comparison in searches: ignores case, diacritics and compatibility forms.
// Invariant: folding happens only here, never in the database, so results do not depend on a server's locale.
import { storableText } from "./code-points.ts";

/** Latin letters that are typed without their stroke or dot, or in two letters, and that no normal form takes apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ı: "i",
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
};

/**
 * Returns the text in NFKC and lower case, without the combining marks of U+0300 to U+036F and with plain Latin letters
 * ("Yıldız" is "yildiz"). Marks of other scripts are kept.
 */
export function foldText(text: string): string {
  return storableText(text)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .replaceAll("ς", "σ")
    .replaceAll(/[ıłøđðħŧßæœþ]/gu, (letter) => plainLetters[letter]!)
    .normalize("NFC");
}
