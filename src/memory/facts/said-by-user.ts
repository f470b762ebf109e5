// Distinguishes text that the user said from text that came into a conversation in any other way. Reasons: ADR 10.
// Invariant: pure. A text was not said by the user if it has a word, number or date that only another source has, or if
// another source also has its words and no message of the user has these words together. In doubt, it was not said.
import { largest } from "../../base/lists.ts";
import { foldText } from "../../base/fold-text.ts";
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import { functionWords, stopWords } from "../../base/query-words.ts";
import { denies, foldedWordsIn, hasDigit, isSameWord, wordsIn } from "./stated-facts.ts";

/** Maximum length of a text in UTF-16 code units: a longer text counts as a copy of something, not as the user's words. */
const maxLength = 4000;

export interface SaidSources {
  /** The texts of the user's messages. */
  readonly messages: readonly string[];
  /** The days on which the user wrote, as YYYY-MM-DD. A note may date the user's words with one of them. */
  readonly days: readonly string[];
  /** Lines of memory that the user said. */
  readonly known: readonly string[];
  /** All texts from other sources that the model had seen when it wrote the note; null if some of them cannot be read. */
  readonly foreign: readonly string[] | null;
}

/**
 * Returns a function that checks whether the user said every sentence of a text: in the same words or, if all other
 * sources can be read, in other words. A text without a sentence counts as not said. `sources` is called only once.
 */
export function saidIn(sources: () => SaidSources): (text: string) => boolean {
  let given: SaidSources | undefined;
  let messages: Messages | undefined;
  let read: ReadSources | undefined;
  return (text) => {
    const sentences = sentencesIn(text.replace(frame, "")).filter((sentence) => wordsIn(sentence).length > 0);
    if (sentences.length === 0 || text.length > maxLength) return false;
    const { days, known, foreign } = (given ??= sources());
    const said = (messages ??= given.messages.map(statementsOf));
    return sentences.every(
      (sentence) =>
        isStated(sentence, said) ||
        (foreign !== null && isRetold(sentence, (read ??= readSources(said, { days, known, foreign })))),
    );
  };
}

/** The prefix of a line before its fact: a list mark, or words such as "the user said". */
const frame = /^[ \t]*(?:(?:[-*•]|\d+[.)])(?!\d))?[ \t]*(?:(?:the )?user (?:said|says|stated)\b)?/gimu;

// Words such as "user" or "lives", with which a note says whom it is about. They do not state what the user wants, likes,
// owns or owes.
const neutral =
  "user users person people human name named called full age aged old year years job occupation profession work works working " +
  "live lives living based location fact note noted known told since earlier date details text tag archival memory message section " +
  // Words that date a fact.
  "stand seit bis ab davor vorher zuvor bisher formerly previously";
/** Words that state nothing by themselves. */
const emptyWords: ReadonlySet<string> = new Set([
  ...neutral.split(" "),
  ...stopWords,
  ...functionWords.flatMap((language) => [...language]),
]);

interface Statement {
  readonly text: string;
  readonly words: readonly string[];
}

type Messages = readonly (readonly Statement[])[];

interface ReadSources {
  readonly messages: Messages;
  /** Clauses that the user stated: from memory, and from messages, without conditions and without reports of others' words. */
  parts(): readonly Statement[];
  readonly names: ReadonlySet<string>;
  readonly own: WordSet;
  readonly foreign: WordSet;
}

function readSources(
  messages: Messages,
  { days, known, foreign }: Omit<SaidSources, "messages" | "foreign"> & { readonly foreign: readonly string[] },
): ReadSources {
  const stated = messages.flat().map(({ text }) => text);
  const plain = [...stated.filter((text) => !hedge.test(text)), ...known];
  let parts: readonly Statement[] | undefined;
  return {
    messages,
    parts: () => (parts ??= plain.flatMap((text) => text.split(clauseEnd)).map(statementOf)),
    names: new Set(
      stated.flatMap((text) => [...text.matchAll(introduction)].flatMap(([, name]) => wordsIn(name ?? ""))),
    ),
    own: wordSet([...plain, ...days]),
    foreign: wordSet(foreign),
  };
}

/** Returns the statements of a message: its sentences without questions and without quoted lines of mail. */
function statementsOf(message: string): readonly Statement[] {
  return sentencesIn(message.replace(/^[ \t]*>.*$/gmu, ""))
    .filter((text) => !isQuestion(text) || wish.test(text))
    .map(statementOf);
}

function statementOf(text: string): Statement {
  const folded = foldText(text);
  const words = foldedWordsIn(folded);
  return { text, words: hasDigit.test(folded) ? [...words, ...markedWords(text)] : words };
}

/** Matches an introduction and the user's name in it: a note uses this name instead of "I". */
const introduction = /\b(?:I['’]m|I am|[Mm]y name is|[Cc]all me|[Ii]ch bin|[Ii]ch heiße) (\p{Lu}[\p{L}\p{M}]+)/gu;

/** A request in the form of a question: "Can you note that I sail?" */
const wish =
  /^\s*(?:please,?\s+)?(?:can|could|will|would)\s+you\s+(?:please\s+)?(?:remember|note|save|store|keep|add)\b/iu;

/** Returns whether one message has all content words of a sentence, and both or neither of them deny something. */
function isStated(sentence: string, messages: Messages): boolean {
  const wanted = contentOf(wordsIn(sentence));
  return wanted.length > 0 && messages.some((statements) => isStatedIn(statements, { sentence, wanted }));
}

interface WantedSentence {
  readonly sentence: string;
  readonly wanted: readonly string[];
}

function isStatedIn(statements: readonly Statement[], { sentence, wanted }: WantedSentence): boolean {
  const used = statements.filter(({ words }) => wanted.some((word) => isAmong(word, words)));
  if (!wanted.every((word) => used.some(({ words }) => isAmong(word, words)))) return false;
  if (used.some(({ text }) => denies(text)) !== denies(sentence)) return false;
  return hedge.test(sentence) || !used.some(({ text }) => hedge.test(text));
}

/** The places where a sentence splits into clauses that can state different things. */
const clauseEnd = /[;()\n]|[,:](?!\d)|\s[-–—]\s|\b(?:and|but|or|und|aber|oder)\b(?!\s*\d)/iu;

/**
 * Returns whether a sentence retells what the user said: (1) every clause does (`isTold`); (2) all words are the user's (`own`),
 * or at least half, and two; (3) two of the user's words, or the only one, are in no other source (`foreign`).
 */
function isRetold(sentence: string, said: ReadSources): boolean {
  const clauses = sentence.split(clauseEnd).map((clause) => tellClause(clause, said));
  if (clauses.some(({ isTold }) => !isTold)) return false;
  const sum = (of: (clause: ToldClause) => number): number => clauses.reduce((total, clause) => total + of(clause), 0);
  const [own, added, only] = [sum((clause) => clause.own), sum((clause) => clause.added), sum((clause) => clause.only)];
  return own > 0 && (added === 0 || (own >= 2 && own >= added)) && only >= Math.min(2, own);
}

interface ToldClause {
  /**
   * Whether no word is only in `foreign`, no number is added, and (1) a word is only the user's or a message states the clause,
   * (2) at least half of the words are the user's, (3) `agreesWith`. If all words of the user are days: at most one is `added`.
   */
  readonly isTold: boolean;
  /** How many of the clause's words the user said (`own`), only the user said (`only`), and the user did not say (`added`). */
  readonly own: number;
  readonly only: number;
  readonly added: number;
}

function tellClause(clause: string, { own, foreign, parts, messages, names }: ReadSources): ToldClause {
  const words = contentOf(markedWords(clause)).filter(
    (word) => !names.has(word) && !free.test(word) && !months().has(word),
  );
  const ours = words.filter((word) => own.has(word));
  const added = words.filter((word) => !own.has(word) && !dayMark.test(word));
  const only = ours.filter((word) => !foreign.has(word));
  const counts = { own: ours.length, only: only.length, added: added.length };
  const isBorrowed = words.some((word) => foreign.has(word) && !own.has(word));
  if (isBorrowed || added.some((word) => /^[^\p{L}]*\p{N}/u.test(word))) return { ...counts, isTold: false };
  if (ours.every((word) => dayMark.test(word))) return { ...counts, isTold: added.length <= 1 };
  const isOwn = only.length > 0 || isStated(clause, messages);
  return { ...counts, isTold: isOwn && added.length <= ours.length && agreesWith(clause, ours, parts()) };
}

/**
 * Compares a clause with those clauses of the user that have the most words in common with it. Returns whether at least
 * one of them agrees: both are denials, or neither is. In a denial, only the words from "not" or the like on count.
 */
function agreesWith(clause: string, ours: readonly string[], parts: readonly Statement[]): boolean {
  const isDenial = denies(clause);
  const denied = new Set(isDenial ? markedWords(clause.slice(firstDenial(clause))) : []);
  const focus = isDenial ? ours.filter((word) => denied.has(word)) : ours;
  const shared = parts.map(({ text, words }) => ({ text, count: focus.filter((word) => isAmong(word, words)).length }));
  const most = largest(shared.map(({ count }) => count));
  return most > 0 && shared.some(({ text, count }) => count === most && denies(text) === isDenial);
}

function firstDenial(text: string): number {
  const words = [...text.matchAll(/[\p{L}\p{M}'’]+/gu)];
  return words.find(([word]) => denies(word))?.index ?? 0;
}

/** A word that a note may add to the user's: a year, or two years as in 2026-2027. Names of months may be added, too. */
const free = /^(?:19|20)\d\d(?:[-/](?:19|20)\d\d)?$/u;

function contentOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !emptyWords.has(word));
}

interface WordSet {
  has(word: string): boolean;
}

function wordSet(texts: readonly string[]): WordSet {
  const words = new Set(texts.flatMap(markedWords));
  const distinct = [...words];
  return { has: (word) => words.has(word) || distinct.some((other) => isFormOf(word, other)) };
}

const dayMark = /^d\d\d?x\d\d?$/u;

/**
 * Returns the words of a text. A day of a year is one word, such as `d3x15`, whether the text says 2027-03-15, 15.3.2027 or "15
 * March". A full hour is the same word with and without its minutes.
 */
function markedWords(text: string): readonly string[] {
  const folded = foldText(text);
  if (!hasDigit.test(folded)) return foldedWordsIn(folded);
  const marked = folded
    .replace(/\b\d{4}-(\d\d)-(\d\d)\b/gu, (_, month, day) => ` d${Number(month)}x${Number(day)} `)
    .replace(/\b(\d{1,2})\.(\d{1,2})\.\d{4}\b/gu, (_, day, month) => ` d${Number(month)}x${Number(day)} `)
    .replace(
      /(?<![\p{L}\p{N}]|\d[.,:])(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(\p{L}{3,})/gu,
      (found, day, name) => dayOf(found, name, day),
    )
    .replace(/\b(\p{L}{3,})\s+(\d{1,2})(?:st|nd|rd|th)?\b(?![:.,]\d)\p{Pd}?/gu, (found, name, day) =>
      dayOf(found, name, day),
    );
  return foldedWordsIn(marked).map((word) => word.replace(/^(\d{1,2})[:.,]00$/u, "$1"));
}

function dayOf(found: string, name: string, day: string): string {
  const month = months().get(name);
  return month === undefined ? found : ` d${month}x${Number(day)} `;
}

let monthNames: ReadonlyMap<string, number> | undefined;

/** Returns the numbers of the months by their folded names, in full and short. */
function months(): ReadonlyMap<string, number> {
  return (monthNames ??= new Map(
    ["en", "de", "fr", "es", "it", "pt", "nl"].flatMap((locale) =>
      (["long", "short"] as const).flatMap((month) => {
        const format = new Intl.DateTimeFormat(locale, { month, timeZone: "UTC" });
        return Array.from({ length: 12 }, (_, at): readonly [string, number] => [
          foldText(format.format(Date.UTC(2026, at, 1))).replace(/\.$/u, ""),
          at + 1,
        ]);
      }),
    ),
  ));
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => other === word || isFormOf(word, other));
}

/** Returns whether two words of Latin, Greek or Cyrillic script differ only in their ending. False for all other words. */
function isFormOf(one: string, other: string): boolean {
  if (one[0] !== other[0] || !inflected.test(one) || !inflected.test(other)) return false;
  return isSameWord(one, other) || `${one}s` === other || `${other}s` === one;
}

const inflected = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+$/u;

/** Words that make a statement a condition, or a report of what someone else says. */
export const hedge =
  /\b(?:if|unless|whether|say|says|said|claims?|claimed|stated|according)\b|\b(?:writes|wrote)\b(?=\s*(?:[:,"“]|that\b|me\b|to\b))/iu;
