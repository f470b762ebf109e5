// Explains the rank of a search hit to users, in the terminal and on the command line.
// Invariant: all parts of the ranking are listed, even those by which the hit was not found.

/** The reasons for the rank of a hit. Ranks count from 1; parts that a search does not use are absent. */
export interface HitExplanation {
  /** The score by which results are sorted. */
  readonly score: number;
  /** Rank and score by words; null if words did not find the hit. `context`: the share of the score from neighbours. */
  readonly words: { readonly rank: number; readonly score: number; readonly context?: number } | null;
  /** The similarity of meaning; null if no vectors were compared. `rank`: null if only words found the hit. */
  readonly meaning: { readonly rank: number | null; readonly cosine: number } | null;
  /** Whether the text contains the exact query. */
  readonly literal: boolean;
  /** For messages: a bonus for their length and for similar neighbours, minus a penalty if the message is a question. */
  readonly bonus?: number;
  /** For passages: whether the text contains an identifier of the query, such as a code, exactly. */
  readonly identifier?: boolean;
  /** For passages: `0.3 · recency + 0.3 · log(accesses + 1) + 0.4 · given importance`. */
  readonly importance?: number;
}

/** One part of a ranking, with its result as text. */
export interface ExplanationPart {
  readonly name: "words" | "meaning" | "literal" | "bonus" | "importance" | "total";
  readonly text: string;
}

/** Returns the parts in display order, the total last. */
export function explanationParts(explanation: HitExplanation): readonly ExplanationPart[] {
  const { words, score, bonus, importance } = explanation;
  return [
    { name: "words", text: wordsText(words) },
    { name: "meaning", text: meaningText(explanation.meaning) },
    { name: "literal", text: literalText(explanation) },
    ...(bonus === undefined ? [] : [{ name: "bonus" as const, text: figure(bonus) }]),
    ...(importance === undefined ? [] : [{ name: "importance" as const, text: figure(importance) }]),
    { name: "total", text: figure(score) },
  ];
}

function wordsText(words: HitExplanation["words"]): string {
  if (words === null) return "not found";
  const text = `rank ${words.rank}, score ${figure(words.score)}`;
  if (words.context === undefined) return text;
  return `${text}, ${Math.round(words.context * 100)} % of it from neighbouring messages`;
}

function meaningText(meaning: HitExplanation["meaning"]): string {
  if (meaning === null) return "not compared";
  const cosine = `cosine ${figure(meaning.cosine)}`;
  return meaning.rank === null ? `not among the nearest, ${cosine}` : `rank ${meaning.rank}, ${cosine}`;
}

function literalText({ literal, identifier = false }: HitExplanation): string {
  if (literal) return "contains the exact query";
  return identifier ? "contains an identifier of the query" : "no";
}

/** Formats a value with three significant digits: small word scores differ only in the third. Omits trailing zeros. */
function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
