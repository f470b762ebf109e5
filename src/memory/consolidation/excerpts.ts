// Compares texts word by word: whether a text is an excerpt of another one, and whether it keeps what another one says.
// Invariant: pure; in doubt, the answer is no. Words and numbers are equal or different, never similar.
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import { stopWords } from "../../base/query-words.ts";
import { hedge } from "../facts/said-by-user.ts";
import { denies, wholeNumber, wordsIn } from "../facts/stated-facts.ts";

/** The prefix that a quotation of the user gets when it is saved (`noteOf`). */
const frame = /^[ \t]*the user said:/gimu;

/** Returns the sentences of a text that contain a word. */
function statementsOf(text: string): readonly string[] {
  return sentencesIn(text.replace(frame, "")).filter((sentence) => wordsIn(sentence).length > 0);
}

/** Returns whether a text has a sentence that is not a question. */
export function states(text: string): boolean {
  return statementsOf(text).some((sentence) => !isQuestion(sentence));
}

/** Returns whether a text contains a quote that neither begins nor ends inside a number. */
export function hasQuote(text: string, quote: string): boolean {
  let at = text.indexOf(quote);
  if (at === -1) return false;
  const inside = new Set<number>();
  for (const { 0: found, index } of text.matchAll(wholeNumber))
    for (let place = index + 1; place < index + found.length; place += 1) inside.add(place);
  while (at !== -1 && (inside.has(at) || inside.has(at + quote.length))) at = text.indexOf(quote, at + 1);
  return at !== -1;
}

/** Returns the words and numbers of a text, without stop words. */
export function contentWords(text: string): readonly string[] {
  return wordsIn(text.replace(frame, "")).filter((word) => !stopWords.has(word));
}

/** A text, and the part of it that was quoted. */
export interface Source {
  readonly text: string;
  readonly quote: string;
}

/**
 * Returns the first sentence of a text that no quote supports; undefined if there is none. A quote supports a sentence
 * if it has the same words in the same order without a gap, in a sentence that is not a question. Both sentences or
 * neither must be denials, and both or neither conditions or reports.
 */
export function unsupportedIn(text: string, sources: readonly Source[]): string | undefined {
  const sentences = statementsOf(text);
  if (sentences.length === 0) return text;
  return sentences.find((sentence) => !sources.some((source) => isPartOf(sentence, source)));
}

/** Returns whether the quotes support each sentence of a text, as defined at `unsupportedIn`. */
export function isExcerptOf(text: string, sources: readonly Source[]): boolean {
  return unsupportedIn(text, sources) === undefined;
}

function isPartOf(sentence: string, { text, quote }: Source): boolean {
  return (
    hasWords(quote, sentence) &&
    statementsOf(text).some((one) => hasWords(one, sentence) && isAlike(one, sentence) && !isQuestion(one))
  );
}

/** Returns whether one sentence of a text has the words of another sentence next to each other, in the same order. */
export function hasWordsOf(text: string, sentence: string): boolean {
  return statementsOf(text).some((one) => hasWords(one, sentence));
}

function hasWords(text: string, sentence: string): boolean {
  return ` ${wordsIn(text).join(" ")} `.includes(` ${wordsIn(sentence).join(" ")} `);
}

/** Returns whether both sentences or neither are a denial, and both or neither are a condition or report. */
function isAlike(one: string, other: string): boolean {
  return denies(one) === denies(other) && hedge.test(one) === hedge.test(other);
}

/**
 * Returns the first sentence of a text whose content words are not all, in their order, in one sentence of `kept` that
 * is a denial, condition or report exactly if the first one is (`isAlike`); undefined if there is none.
 */
export function lostIn(kept: readonly string[], text: string): string | undefined {
  const known = kept.flatMap(statementsOf);
  const isKept = (sentence: string) =>
    known.some((one) => isAlike(one, sentence) && isSubsequence(contentWords(sentence), contentWords(one)));
  return statementsOf(text).find((sentence) => !isKept(sentence));
}

/** Returns whether a text says something, and another text says all of it in almost the same words. */
export function isSaidIn(other: string, text: string): boolean {
  return contentWords(text).length > 0 && lostIn([other], text) === undefined;
}

function isSubsequence(words: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const other of others) if (other === words[at]) at += 1;
  return at === words.length;
}

/** The places where a statement splits into clauses that can be corrected one by one. */
const clauseEnd = /[;()\n]|,(?!\d)|\s[-–—]\s/u;

/** Returns the clauses of a text that have a content word other than a number. */
export function clausesOf(text: string): readonly string[] {
  return statementsOf(text)
    .flatMap((sentence) => sentence.split(clauseEnd))
    .filter((clause) => topicWords(clause).length > 0);
}

function topicWords(text: string): readonly string[] {
  return contentWords(text).filter((word) => !/^[^\p{L}\p{M}]*\p{N}/u.test(word));
}

/** Returns the share (0 to 1) of a text's content words, without numbers, that occur in the other texts. */
export function sharedWords(text: string, others: readonly string[]): number {
  const words = topicWords(text);
  const known = new Set(others.flatMap(contentWords));
  return words.filter((word) => known.has(word)).length / Math.max(1, words.length);
}

const finished =
  /\b(?:done|finished|completed|over|cancelled|canceled|paid|sold|closed|solved|fertig|erledigt|vorbei|bezahlt|abgesagt|beendet)\b/iu;
const ahead =
  /\b(?:will|going|until|unless|by|when|once|before|should|must|wird|werden|bis|wenn|sobald|bevor|soll|muss)\b|['’]ll\b/iu;

/** Returns whether a sentence of `text` says that a line's subject is finished, without a denial, condition or plan. */
export function isFinishedBy(line: string, text: string): boolean {
  return statementsOf(text).some(
    (one) =>
      finished.test(one) &&
      !ahead.test(one) &&
      !denies(one) &&
      !hedge.test(one) &&
      !isQuestion(one) &&
      sharedWords(line, [one]) >= 1 / 2,
  );
}

/**
 * Quotes a part of a text for a reason that the user and the model read. The part is quoted whole and unchanged, so
 * that a forgetting finds it in the reason, too.
 */
export function namePart(part: string): string {
  // A sentence of a quotation may have a quotation mark of its own at its beginning or end.
  return `"${part.trim().replace(/^"?([^"]*)"?$/u, "$1")}"`;
}
