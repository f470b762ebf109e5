// Folds text for comparison in searches: ignores case, diacritics and compatibility forms.
// Invariant: folding happens only here, never in the database, so results do not depend on a server's locale.
import { storableText } from "./code-points.ts";

/**
 * Returns the text in NFKC and lower case, without the combining marks of U+0300 to U+036F. Marks of other scripts are
 * kept.
 */
export function foldText(text: string): string {
  return storableText(text)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}
