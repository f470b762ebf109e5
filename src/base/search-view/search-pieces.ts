// Splits the text of a search hit into matches and other pieces, and cuts a long text around its best matches.
// Invariant: the concatenated pieces are the text, except for a `…` at each cut; matches are UTF-16 ranges of the
// original text, in order and disjoint, and never split a grapheme; time is linear in the length of the text.
import { foldText, foldWithPlaces, joinedRanges, type TextRange } from "../fold-text.ts";
import { emoji, pairsOf, quotedLiteral, stopWords, unspacedRun } from "../query-words.ts";

/** The folded search terms. `texts` match anywhere, `stems` match words with the same stem, `parts` match inside long words. */
interface Needles {
  readonly texts: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly parts: readonly string[];
}

// The maximum number of search terms, and the maximum length of a query in UTF-16 units.
const maxNeedles = 64;
const queryLimit = 2000;

const word = /[\p{L}\p{M}\p{N}]+/gu;
const insideMark = /[\p{L}\p{N}][^\p{L}\p{M}\p{N}\s]+[\p{L}\p{N}]|^[#@$€£]|^--|[%#°]$|\+\+$/u;
const edges = /^[\s.,;:!?()[\]{}<>"'“”‘’«»]+|[\s.,;:!?()[\]{}<>"'“”‘’«»]+$/gu;

/** A word of at least `minPart` UTF-16 units also matches inside a word of at least `minCompound`. */
const minPart = 6;
const minCompound = 12;

/**
 * Returns the matches of a query in a text. Ignores case, accents and compatibility forms. Words match by their stems,
 * Chinese and Japanese by pairs of characters, and a query in double quotes exactly. English stems are approximated, so a
 * word that the search has matched may not be marked.
 */
export function findMatches(text: string, query: string): readonly TextRange[] {
  const needles = needlesOf(query.slice(0, queryLimit));
  const { folded, placeOf } = foldWithPlaces(text);
  const found: TextRange[] = [];
  const keep = (from: number, to: number): void => void found.push(placeOf(from, to));
  for (const needle of needles.texts) eachOccurrence(folded, needle, keep);
  if (needles.stems.size > 0) findWords(folded, needles, keep);
  return joinedRanges(found);
}

/** Returns the terms that show the topic of a text: the stems of its words, and its pairs of Chinese or Japanese characters. */
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

const ending = /(?:ies|ied|y|ing|(?<!e)ed|es|s|(?<!i)ly|e)$/u;

/** Returns a word of ASCII letters without its English ending: `sails`, `sailed` and `sailing` have one stem. */
function stemOf(found: string): string {
  if (found.length < 4 || found.length > 64 || found.endsWith("ss") || !/^[a-z]+$/u.test(found)) return found;
  const [cut = ""] = ending.exec(found) ?? [];
  const rest = found.slice(0, found.length - cut.length);
  if (rest.length < 3 || !/[aeiouy]/u.test(rest)) return found;
  if (/^(?:ies|ied|y)$/u.test(cut)) return `${rest}i`;
  return rest.length > 3 && /^(?:ing|ed)$/u.test(cut) ? rest.replace(/([bdgmnprt])\1$/u, "$1") : rest;
}

export interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Share of an excerpt before its first match. */
const leadShare = 0.25;
/** Maximum UTF-16 units by which the start of an excerpt is moved to the start of a word. */
const maxShift = 30;

/**
 * Returns the text in pieces. A text longer than `length` (UTF-16 units) is cut to the part of that length with the most
 * matching words (frequent ones count less), or to its beginning if there is no match.
 */
export function excerptPieces(text: string, matches: readonly TextRange[], length: number): readonly TextPiece[] {
  const { start, end } = windowOf(text, text.length <= length ? 0 : bestStart(text, matches, length), length);
  const pieces: TextPiece[] = [];
  const push = (piece: string, isMatch: boolean): void => {
    if (piece !== "") pieces.push({ text: piece, isMatch });
  };
  let last = start;
  for (const match of matches) {
    if (match.end <= start) continue;
    if (match.start >= end) break;
    push(text.slice(last, Math.max(match.start, start)), false);
    push(text.slice(Math.max(match.start, start), Math.min(match.end, end)), true);
    last = Math.min(match.end, end);
  }
  push(text.slice(last, end), false);
  const cut = { text: "…", isMatch: false };
  return [...(start > 0 ? [cut] : []), ...pieces, ...(end < text.length ? [cut] : [])];
}

/** Returns the start of the first match in the best excerpt. If several are equally good, the first excerpt is taken. */
function bestStart(text: string, matches: readonly TextRange[], length: number): number {
  const words = matches.map(({ start, end }) => text.slice(start, end).toLowerCase());
  const shown = createShownWords(words);
  const reach = length * (1 - leadShare);
  let next = 0;
  let [best, bestValue] = [0, 0];
  for (const [index, { start }] of matches.entries()) {
    next = Math.max(next, index);
    for (let match = matches[next]; match !== undefined && match.end <= start + reach; match = matches[next]) {
      shown.add(words[next]!);
      next += 1;
    }
    // The difference is rounded, because adding the same numbers in another order gives another floating-point sum.
    if (Math.round((shown.value() - bestValue) * 1e6) > 0) [best, bestValue] = [start, shown.value()];
    if (index < next) shown.remove(words[index]!);
  }
  return bestValue === 0 ? (matches[0]?.start ?? 0) : best;
}

/** Scores an excerpt by its different matching words. A word counts less the more often it matches in the whole text. */
function createShownWords(words: readonly string[]) {
  const frequency = new Map<string, number>();
  for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const counts = new Map<string, number>();
  let value = 0;
  return {
    add(word: string): void {
      const count = counts.get(word) ?? 0;
      if (count === 0) value += 1 / frequency.get(word)!;
      counts.set(word, count + 1);
    },
    remove(word: string): void {
      const count = counts.get(word)! - 1;
      if (count === 0) value -= 1 / frequency.get(word)!;
      counts.set(word, count);
    },
    value: () => value,
  };
}

function windowOf(text: string, first: number, length: number): TextRange {
  if (text.length <= length) return { start: 0, end: text.length };
  const latest = Math.max(0, text.length - length);
  const wanted = Math.min(latest, Math.max(0, first - Math.floor(length * leadShare)));
  const start = wanted === 0 ? 0 : wordStart(text, wanted, first);
  const end = Math.min(text.length, start + length);
  return { start, end: end === text.length ? end : characterBoundary(text, end) };
}

/** Returns the start of the next word if it is near and not after the first match, otherwise the start of the grapheme. */
function wordStart(text: string, wanted: number, first: number): number {
  const space = text.slice(wanted, Math.min(wanted + maxShift, first + 1)).search(/\s\S/u);
  return space === -1 ? characterBoundary(text, wanted) : wanted + space + 1;
}

/** Returns the start of the grapheme at the offset; inside a run of more than 64 combining marks, the offset itself. */
function characterBoundary(text: string, place: number): number {
  const from = Math.max(0, place - 64);
  // The segmenter is created only here, because the first one of a process takes 9 ms, and most commands need none.
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const near = Array.from(graphemes.segment(text.slice(from, place + 64)), ({ index }) => from + index);
  return near.findLast((index) => index <= place && index > from) ?? place;
}
