// Normalizes texts for comparison, to find duplicates.
// Invariant: pure and linear; only case, width, white space and the marks around words are dropped, so that texts with
// the same form have the same words, numbers, dates, signs and units in the same order.

/** Superscripts, subscripts and fractions, which compatibility normalization would make plain digits: 5² is not 52. */
const scriptDigits = /[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u215f]/gu;
/** Marks at the end of a word or sentence. A mark before a letter or digit is part of the word: 1.5, 3:30, don't. */
const closingMarks = /[.,;:!…'"”»)\]}]+(?=[\s.,;:!…'"”»)\]}]|$)/gu;
const openingMarks = /(?<=^|[\s'"“«([{])['"“«([{]+/gu;

/** Returns the normalized text; texts with equal forms are duplicates. */
export function comparableText(text: string): string {
  const folded = text.replaceAll(scriptDigits, "^$&").normalize("NFKC").toLowerCase().replaceAll(/[’‘]/gu, "'");
  const words = folded.replaceAll(closingMarks, " ").replaceAll(openingMarks, " ").replaceAll(/\s+/gu, " ").trim();
  // A text that consists of punctuation only is compared with its punctuation.
  return words === "" ? folded.trim() : words;
}
