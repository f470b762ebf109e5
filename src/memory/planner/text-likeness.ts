// How much two texts have in common, for telling what says the same twice.
// Invariant: pure; a text costs the same however long it is, and texts that differ only in case, width or spacing are the same.

/** Characters of a text that are compared: what begins alike for so long and is about as long is taken as alike. */
const compared = 4000;
/** Characters of a shingle: long enough that common words alone make no likeness. */
const shingleLength = 5;

export interface TextShape {
  readonly folded: string;
  /** Characters of the whole text. */
  readonly length: number;
  readonly shingles: ReadonlySet<string>;
}

export function shapeOf(text: string): TextShape {
  const folded = fold(text.slice(0, 4 * compared)).slice(0, compared);
  const shingles = new Set<string>();
  for (let place = 0; place <= Math.max(0, folded.length - shingleLength); place += 1) {
    shingles.add(folded.slice(place, place + shingleLength));
  }
  return { folded, length: text.length, shingles };
}

/**
 * Jaccard's index of the texts' runs of 5 characters (Broder 1997, "On the resemblance and containment of documents"), from 0
 * to 1; 0 where one text is over 1.5 times as long as the other.
 */
export function likeness(one: TextShape, other: TextShape): number {
  if (one.folded === other.folded && isAsLong(one, other)) return 1;
  if (!isAsLong(one, other)) return 0;
  const [fewer, more] = one.shingles.size < other.shingles.size ? [one, other] : [other, one];
  let shared = 0;
  for (const shingle of fewer.shingles) if (more.shingles.has(shingle)) shared += 1;
  return shared / (fewer.shingles.size + more.shingles.size - shared);
}

function isAsLong(one: TextShape, other: TextShape): boolean {
  const [least, most] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  return most <= 1.5 * least;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
