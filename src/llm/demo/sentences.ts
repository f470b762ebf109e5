// Cuts what a person wrote into sentences and clauses that the rules can look at one by one.
// Invariant: no more than `examinedLength` characters are looked at, and white space is single.
import { storableText, takeCodePoints } from "../../base/code-points.ts";

/** How many characters of a message the rules look at. */
export const examinedLength = 4000;

/** One sentence and whether it asks something. */
export interface Sentence {
  readonly text: string;
  readonly asks: boolean;
}

const abbreviation = /(?:^|[\s(])(?:st|dr|mr|mrs|ms|prof|jr|sr|vs|e\.g|i\.e|no|[a-z])$/i;
const asksByItsStart = new RegExp(
  "^(?:(?:what|where|when|who|which|how|why)(?:'s|'re| is| are| was| were| am| do| does| did| have| has| can| could| should| would| will| many| much| old| kind| colou?r)" +
    "|(?:do|did|have|can|could|would) (?:you|i|we) (?:know|remember|recall|tell|say|mention|have|like|think|still|ever)" +
    "|(?:tell|show) me (?:what|where|when|who|which|how|about|my|everything)|(?:summari[sz]e|describe|list) (?:what|everything|my))\\b",
  "i",
);
const openings =
  /^(?:(?:hi|hello|hey|there|well|so|actually|ok|okay|oh|yes|no|yeah|please|also|and|but|by the way|btw|in fact|fyi|sorry|thanks|thank you|good (?:morning|evening|afternoon))(?![\p{L}'])[ ,!.:-]*)+/iu;
const clauseBorder =
  /(?:[,;:] ?(?:and |but |so |also |because )?|[ ](?:and|but|so|because) (?:also |now )?)(?=(?:i|i'm|i've|my|we|we're|call me|people call me)(?![\p{L}]))/iu;
const verbBorder =
  / (?:and|but) (?:also )?(?=(?:live in|work (?:as|at|for|in)|like|love|enjoy|hate|dislike|moved to|have (?:a|an|two|three)|was born|plan to|want to|am|speak|study)\b)/i;

/** A message as the rules see it: well-formed, straight apostrophes, cut to `examinedLength`. */
export function examinedText(raw: string): { readonly text: string; readonly clipped: boolean } {
  const head = storableText(takeCodePoints(raw.slice(0, examinedLength * 2), examinedLength));
  return { text: head.replace(/[\u2018\u2019]/g, "'").trim(), clipped: raw.length > head.length };
}

/** The sentences of a text, in order. A dot inside a number or after an abbreviation does not end one. */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const border = /[.!?]+(?=\s|$)|\n+|[。！？]+/g;
  let start = 0;
  for (let match = border.exec(text); match !== null; match = border.exec(text)) {
    if (match[0] === "." && abbreviation.test(text.slice(Math.max(start, match.index - 8), match.index))) continue;
    addSentence(sentences, text.slice(start, match.index), /[?？]/.test(match[0]));
    start = border.lastIndex;
  }
  addSentence(sentences, text.slice(start), false);
  return sentences;
}

/** The text without "hi", "well," and the like at its start. */
export function withoutOpening(text: string): string {
  return text.replace(openings, "").trim();
}

/** The clauses of a sentence that each may hold a fact; a subject left out is put back. */
export function splitClauses(sentence: string): readonly string[] {
  return withoutOpening(sentence)
    .split(clauseBorder)
    .flatMap((clause) => clause.split(verbBorder).map((part, index) => (index === 0 ? part : `I ${part}`)))
    .map((clause) => withoutOpening(clause.trim()))
    .filter((clause) => clause !== "");
}

function addSentence(sentences: Sentence[], raw: string, marked: boolean): void {
  const text = raw.replace(/\s+/g, " ").trim();
  if (text !== "") sentences.push({ text, asks: marked || asksByItsStart.test(withoutOpening(text)) });
}
