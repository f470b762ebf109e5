// Why a search has found something, in words for people: in the terminal and on the command line.
// Invariant: whatever a side did not find is said to be so, never left out.

/** What is known of a hit. Ranks count from 1; what a search does not look at is not there. */
export interface Explanation {
  readonly score: number;
  readonly words: { readonly rank: number; readonly score: number } | null;
  readonly meaning: { readonly rank: number | null; readonly cosine: number } | null;
  readonly literal: boolean;
  readonly identifier?: boolean;
  readonly importance?: number;
}

/** One voice of a ranking and what it said. */
export interface ExplanationPart {
  readonly name: "words" | "meaning" | "literal" | "importance" | "total";
  readonly text: string;
}

/** The voices in the order in which they are told, the total last. */
export function explanationParts(explanation: Explanation): readonly ExplanationPart[] {
  const { words, score, importance } = explanation;
  return [
    { name: "words", text: words === null ? "not found" : `rank ${words.rank}, score ${figure(words.score)}` },
    { name: "meaning", text: meaningText(explanation.meaning) },
    { name: "literal", text: literalText(explanation) },
    ...(importance === undefined ? [] : [{ name: "importance" as const, text: figure(importance) }]),
    { name: "total", text: figure(score) },
  ];
}

function meaningText(meaning: Explanation["meaning"]): string {
  if (meaning === null) return "not compared";
  const cosine = `cosine ${figure(meaning.cosine)}`;
  return meaning.rank === null ? `not among the nearest, ${cosine}` : `rank ${meaning.rank}, ${cosine}`;
}

function literalText({ literal, identifier = false }: Explanation): string {
  if (literal) return "holds the query as it stands";
  return identifier ? "holds an identifier of the query" : "no";
}

/** Three digits that count, without zeros at the end: small scores of words differ in the third. */
function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
