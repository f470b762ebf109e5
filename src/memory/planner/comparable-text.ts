// The form in which texts are compared, to find those that say the same twice.
// Invariant: pure and linear; only case, width, white space and the marks around words are dropped, so that texts with the
// same form have the same words, numbers, dates, signs and units in the same order.

/** Small figures, which compatibility forms would make plain digits: 5² is not 52. */
const smallFigures = /[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u215f]/gu;
/** At the end of a word or a sentence; before a letter or digit, a mark is part of it, as in 1.5, 3:30 and don't. */
const closingMarks = /[.,;:!…'"”»)\]}]+(?=[\s.,;:!…'"”»)\]}]|$)/gu;
const openingMarks = /(?<=^|[\s'"“«([{])['"“«([{]+/gu;

/** The text in its comparable form: equal forms say the same. */
export function comparableText(text: string): string {
  const folded = text.replaceAll(smallFigures, "^$&").normalize("NFKC").toLowerCase().replaceAll(/[’‘]/gu, "'");
  const words = folded.replaceAll(closingMarks, " ").replaceAll(openingMarks, " ").replaceAll(/\s+/gu, " ").trim();
  // Marks alone are compared as they are.
  return words === "" ? folded.trim() : words;
}
