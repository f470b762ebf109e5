// Generates text without names, numbers and facts, to fill windows and histories.
// Invariant: deterministic and pure; texts of one length repeat after 40 seeds, so that an embedder reads few different ones.
const words =
  "well yes quite nice then maybe later rather slowly warm rain and tea with bread some more walking along under grey clouds".split(
    " ",
  );

/** Returns `count` words. `seed`: 0 or more; the same seed gives the same text. */
export function smallTalk(count: number, seed = 0): string {
  return Array.from({ length: count }, (_, at) => words[((seed % 40) * 7 + at * (3 + (seed % 5))) % words.length]).join(
    " ",
  );
}
