// Text as searches compare it: case, diacritics and compatibility forms do not count.
// Invariant: folding happens here alone, never in the database, so results do not depend on a server's locale.
import { storableText } from "./code-points.ts";

/** The text folded: NFKC, lower-case, without the combining marks of U+0300 to U+036F. Other scripts keep their signs. */
export function foldText(text: string): string {
  return storableText(text)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}
