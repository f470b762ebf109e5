// Learns from an embedder's own vectors what its cosines mean: their centre, and the floor of a hit.
// Invariant: pure and deterministic; no number is tuned for one model.

/** A pair of the sample, embedded as a query and as a passage. */
export interface EmbeddedPair {
  readonly language: string;
  readonly question: readonly number[];
  readonly answer: readonly number[];
}

export interface Scale {
  /** Subtracted from the vectors of queries and of passages. Queries resemble each other, and so do passages. */
  readonly queryCentre: readonly number[];
  readonly passageCentre: readonly number[];
  /** The cosine that best separates answers from other passages of the same language. */
  readonly floor: number;
}

/** Needs at least one pair; all vectors have the same width. */
export function learnScale(pairs: readonly EmbeddedPair[]): Scale {
  const queryCentre = meanOf(pairs.map(({ question }) => question));
  const passageCentre = meanOf(pairs.map(({ answer }) => answer));
  const questions = pairs.map(({ question }) => centred(question, queryCentre));
  const answers = pairs.map(({ answer }) => centred(answer, passageCentre));
  const own: number[] = [];
  const others: number[] = [];
  for (const [place, question] of questions.entries()) {
    const cosines = answers.map((answer) => cosine(question, answer));
    for (const [index, other] of cosines.entries()) {
      if (index === place) own.push(other);
      else if (pairs[index]?.language === pairs[place]?.language) others.push(other);
    }
  }
  return { queryCentre, passageCentre, floor: separatorOf(own, others) };
}

/**
 * Returns the vector minus the centre, with length 1. Returns the vector itself if the widths differ: the guard reports
 * that.
 */
export function centred(vector: readonly number[], centre: readonly number[]): readonly number[] {
  if (vector.length !== centre.length) return vector;
  const moved = vector.map((value, place) => value - (centre[place] ?? 0));
  const length = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : moved.map((value) => value / length);
}

function meanOf(vectors: readonly (readonly number[])[]): readonly number[] {
  return (vectors[0] ?? []).map(
    (_, place) => vectors.reduce((sum, vector) => sum + (vector[place] ?? 0), 0) / vectors.length,
  );
}

function cosine(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
}

/**
 * Returns the middle of the gap at which the share of own cosines above it exceeds that of the others the most (Youden's
 * index).
 */
function separatorOf(own: readonly number[], others: readonly number[]): number {
  const sorted = [...own, ...others].toSorted((one, other) => one - other);
  let [best, separator] = [Number.NEGATIVE_INFINITY, sorted[0] ?? 0];
  for (const [place, value] of sorted.entries()) {
    const index = shareFrom(value, own) - shareFrom(value, others);
    if (index > best) [best, separator] = [index, (value + (sorted[place - 1] ?? value)) / 2];
  }
  return separator;
}

function shareFrom(floor: number, cosines: readonly number[]): number {
  return cosines.length === 0 ? 0 : cosines.filter((value) => value >= floor).length / cosines.length;
}
