// Ranks paths by how well they match a few typed letters.
// Invariant: pure; a path without all letters in their order does not match. Case is ignored.

/** Sorts after each other: the kind of match, the gaps between the letters, the length. */
type Score = readonly [kind: number, gaps: number, length: number];

/** Kinds of matches from this one on have other characters between the letters. */
const firstLooseKind = 4;

export interface FuzzyOptions<Item> {
  pathOf(item: Item): string;
  /** Whether matches with other characters between the letters are omitted; otherwise only if there are better ones. */
  readonly isStrict: boolean;
}

/** Returns the items that match, the best first; equal matches keep their order. */
export function fuzzyMatches<Item>(
  items: readonly Item[],
  typed: string,
  { pathOf, isStrict }: FuzzyOptions<Item>,
): readonly Item[] {
  const letters = typed.toLowerCase();
  const scored = items.flatMap((item) => {
    const score = scoreOf(pathOf(item).toLowerCase(), letters);
    return score === null ? [] : [{ item, score }];
  });
  scored.sort((a, b) => difference(a.score, b.score));
  const hasStrict = (scored[0]?.score[0] ?? firstLooseKind) < firstLooseKind;
  const shown = isStrict || hasStrict ? scored.filter(({ score }) => score[0] < firstLooseKind) : scored;
  return shown.map(({ item }) => item);
}

function difference(one: Score, other: Score): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function scoreOf(path: string, letters: string): Score | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const inName = name.indexOf(letters);
  if (inName === 0) return [0, 0, path.length];
  if (inName > 0) return [/[^\p{L}\p{N}]/u.test(name[inName - 1] ?? "") ? 1 : 2, 0, path.length];
  if (path.includes(letters)) return [3, 0, path.length];
  const nameGaps = gapsIn(name, letters);
  if (nameGaps !== null) return [4, nameGaps, path.length];
  const gaps = gapsIn(path, letters);
  return gaps === null ? null : [5, gaps, path.length];
}

/** Counts the interruptions when the letters are found from left to right; null if one is missing. */
function gapsIn(text: string, letters: string): number | null {
  let gaps = 0;
  let last = -1;
  for (const letter of letters) {
    const at = text.indexOf(letter, last + 1);
    if (at === -1) return null;
    if (at !== last + 1) gaps += 1;
    last = at;
  }
  return gaps;
}
