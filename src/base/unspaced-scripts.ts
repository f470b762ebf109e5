// Scripts that are written without spaces, or join what other languages write apart, and emoji: found by their characters.
// Invariant: texts, queries and what is marked in a result are read by the same patterns.

/** A run of such a script. */
export const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/gu;

export const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}/gu;

/** Every two neighbouring characters; none of a single one. */
export function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
}
