// Finds the parts of a text that match a query, for highlighting in the terminal and on the command line.
// Invariant: matches are UTF-16 ranges of the original text, in order and disjoint, and never split a grapheme; time is linear
// in the length of the text.
import { foldText } from "../fold-text.ts";
import { foldWithPlaces } from "../folded-places.ts";
import { quotedLiteral } from "../quoted-literal.ts";
import { stopWords } from "../stop-words.ts";
import { emoji, pairsOf, unspacedRun } from "../unspaced-scripts.ts";

/** A range; `end` is exclusive. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** The folded search terms: texts anywhere, words by their stems, and parts of long words. */
interface Needles {
  readonly texts: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly parts: readonly string[];
}

// The limits of a search: number of terms, and length of a query.
const maxNeedles = 64;
const queryLimit = 2000;

const word = /[\p{L}\p{M}\p{N}]+/gu;
const insideMark = /[\p{L}\p{N}][^\p{L}\p{M}\p{N}\s]+[\p{L}\p{N}]|^[#@$€£]|^--|[%#°]$|\+\+$/u;
const edges = /^[\s.,;:!?()[\]{}<>"'“”‘’«»]+|[\s.,;:!?()[\]{}<>"'“”‘’«»]+$/gu;

/** Minimum lengths of a word that also matches inside another word, and of that other word. */
const minPart = 6;
const minCompound = 12;

/**
 * Returns the matches of a query in a text. Ignores case, accents and compatibility forms. Words match by their stems,
 * Chinese and Japanese by pairs of characters, and a query in double quotes exactly. English stems are approximated, so a
 * match of the search may stay unmarked.
 */
export function findMatches(text: string, query: string): readonly TextMatch[] {
  const needles = needlesOf(query.slice(0, queryLimit));
  const { folded, placeOf } = foldWithPlaces(text);
  const found: TextMatch[] = [];
  const keep = (from: number, to: number): void => void found.push(placeOf(from, to));
  for (const needle of needles.texts) eachOccurrence(folded, needle, keep);
  if (needles.stems.size > 0) findWords(folded, needles, keep);
  return joined(found);
}

/** Returns the terms of a text that tell its topic: the stems of its words, and pairs of Chinese and Japanese characters. */
export function contentTerms(text: string): ReadonlySet<string> {
  const folded = foldText(text.slice(0, queryLimit));
  const pairs = [...folded.matchAll(unspacedRun)].flatMap(([run]) => pairsOf(run));
  return new Set([...pairs, ...wordsOf(folded.replaceAll(unspacedRun, " ")).map(stemOf)]);
}

function wordsOf(spaced: string): readonly string[] {
  return [...spaced.matchAll(word)].map(([found]) => found).filter((found) => !stopWords.has(found));
}

function needlesOf(query: string): Needles {
  const quoted = quotedLiteral(query);
  if (quoted !== undefined) return { texts: filled([foldText(quoted)]), stems: new Set(), parts: [] };
  const folded = foldText(query.trim());
  const spaced = folded.replaceAll(unspacedRun, " ");
  const words = wordsOf(spaced);
  const identifiers = spaced
    .split(/\s+/u)
    .map((piece) => piece.replaceAll(edges, ""))
    .filter((piece) => insideMark.test(piece));
  const pairs = [...folded.matchAll(unspacedRun)].flatMap(([run]) => {
    const pairsOfRun = pairsOf(run);
    return pairsOfRun.length === 0 ? [run] : pairsOfRun;
  });
  const emojis = [...folded.matchAll(emoji)].map(([found]) => found);
  return {
    texts: filled([folded, ...identifiers, ...pairs, ...emojis]),
    stems: new Set(words.slice(0, maxNeedles).map(stemOf)),
    parts: filled(words.filter((found) => found.length >= minPart)),
  };
}

function filled(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "").slice(0, maxNeedles);
}

function findWords(folded: string, { stems, parts }: Needles, keep: (from: number, to: number) => void): void {
  const spaced = folded.replaceAll(unspacedRun, (run) => " ".repeat(run.length));
  for (const { 0: found, index } of spaced.matchAll(word)) {
    if (stems.has(stemOf(found))) keep(index, index + found.length);
    else if (found.length >= minCompound) {
      for (const part of parts) eachOccurrence(found, part, (from, to) => keep(index + from, index + to));
    }
  }
}

function eachOccurrence(text: string, needle: string, keep: (from: number, to: number) => void): void {
  for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + needle.length)) {
    keep(from, from + needle.length);
  }
}

/** Joins matches that touch or overlap. */
function joined(found: readonly TextMatch[]): readonly TextMatch[] {
  const matches: TextMatch[] = [];
  for (const match of found.toSorted((one, other) => one.start - other.start)) {
    const last = matches.at(-1);
    if (last === undefined || match.start > last.end) matches.push(match);
    else if (match.end > last.end) matches[matches.length - 1] = { start: last.start, end: match.end };
  }
  return matches;
}

const ending = /(?:ies|ied|y|ing|(?<!e)ed|es|s|(?<!i)ly|e)$/u;

/** Removes the English ending of a word of ASCII letters: `sails`, `sailed` and `sailing` have one stem. */
function stemOf(found: string): string {
  if (found.length < 4 || found.length > 64 || found.endsWith("ss") || !/^[a-z]+$/u.test(found)) return found;
  const [cut = ""] = ending.exec(found) ?? [];
  const rest = found.slice(0, found.length - cut.length);
  if (rest.length < 3 || !/[aeiouy]/u.test(rest)) return found;
  if (/^(?:ies|ied|y)$/u.test(cut)) return `${rest}i`;
  return rest.length > 3 && /^(?:ing|ed)$/u.test(cut) ? rest.replace(/([bdgmnprt])\1$/u, "$1") : rest;
}
