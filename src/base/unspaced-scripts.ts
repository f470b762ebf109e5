// Patterns for emoji, and for scripts without spaces between words or with words joined.
// Invariant: texts, queries and highlighted results use the same patterns.

/** A run of such a script. */
export const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/gu;

export const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}/gu;

/** Returns each pair of neighbouring characters; none for a single one. */
export function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
}
