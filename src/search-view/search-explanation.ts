// Why a search has found something, in words for people: in the terminal and on the command line.
// Invariant: whatever a side did not find is said to be so, never left out.

/** How a hit came to its place. Ranks count from 1; what a search does not look at is not there. */
export interface HitExplanation {
  /** What the results are in order of. */
  readonly score: number;
  /** Null where words did not find it. `context` is the share of their score that came from the messages around it, 0 to 1. */
  readonly words: { readonly rank: number; readonly score: number; readonly context?: number } | null;
  /** Null for what has no vector, and for a search by words alone; the rank is null for what words alone have found. */
  readonly meaning: { readonly rank: number | null; readonly cosine: number } | null;
  /** Holds the query as it stands. */
  readonly literal: boolean;
  /** Of passages: holds an identifier of the query as it stands. */
  readonly identifier?: boolean;
  /** Of passages: `0.3 · recency + 0.3 · log(accesses + 1) + 0.4 · given importance`. */
  readonly importance?: number;
}

/** One voice of a ranking and what it said. */
export interface ExplanationPart {
  readonly name: "words" | "meaning" | "literal" | "importance" | "total";
  readonly text: string;
}

/** The voices in the order in which they are told, the total last. */
export function explanationParts(explanation: HitExplanation): readonly ExplanationPart[] {
  const { words, score, importance } = explanation;
  return [
    { name: "words", text: wordsText(words) },
    { name: "meaning", text: meaningText(explanation.meaning) },
    { name: "literal", text: literalText(explanation) },
    ...(importance === undefined ? [] : [{ name: "importance" as const, text: figure(importance) }]),
    { name: "total", text: figure(score) },
  ];
}

function wordsText(words: HitExplanation["words"]): string {
  if (words === null) return "not found";
  const text = `rank ${words.rank}, score ${figure(words.score)}`;
  if (words.context === undefined) return text;
  return `${text}, ${Math.round(words.context * 100)} % of it from what was said around it`;
}

function meaningText(meaning: HitExplanation["meaning"]): string {
  if (meaning === null) return "not compared";
  const cosine = `cosine ${figure(meaning.cosine)}`;
  return meaning.rank === null ? `not among the nearest, ${cosine}` : `rank ${meaning.rank}, ${cosine}`;
}

function literalText({ literal, identifier = false }: HitExplanation): string {
  if (literal) return "holds the query as it stands";
  return identifier ? "holds an identifier of the query" : "no";
}

/** Three digits that count, without zeros at the end: small scores of words differ in the third. */
function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
