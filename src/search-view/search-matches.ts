// Which parts of a text a query has found, for people: in the terminal and on the command line.
// Invariant: places are UTF-16 offsets in the text as it is, in order and apart, and never cut what a reader sees as one
// character; the work is linear in the length of the text.
import { foldText } from "../base/fold-text.ts";
import { foldWithPlaces } from "../base/folded-places.ts";
import { quotedLiteral } from "../base/quoted-literal.ts";
import { stopWords } from "../base/stop-words.ts";
import { emoji, pairsOf, unspacedRun } from "../base/unspaced-scripts.ts";

/** From `start` to before `end`. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** What is looked for, folded: texts anywhere, words by their stems, and parts of long words. */
interface Needles {
  readonly texts: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly parts: readonly string[];
}

// As many as a search takes, and as much of a query as it reads.
const maxNeedles = 64;
const queryLimit = 2000;

const word = /[\p{L}\p{M}\p{N}]+/gu;
const insideMark = /[\p{L}\p{N}][^\p{L}\p{M}\p{N}\s]+[\p{L}\p{N}]|^[#@$€£]|^--|[%#°]$|\+\+$/u;
const edges = /^[\s.,;:!?()[\]{}<>"'“”‘’«»]+|[\s.,;:!?()[\]{}<>"'“”‘’«»]+$/gu;

/** Words that may stand inside of longer ones, and the least length of these. */
const minPart = 6;
const minCompound = 12;

/**
 * What a search for the query has found in the text: case, accents and compatibility forms do not count, words match by their
 * stems, Chinese and Japanese by pairs of characters, and a query in double quotes as it stands. English stems are approximated,
 * so a form that the search knows may be left unmarked.
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

function needlesOf(query: string): Needles {
  const quoted = quotedLiteral(query);
  if (quoted !== undefined) return { texts: filled([foldText(quoted)]), stems: new Set(), parts: [] };
  const folded = foldText(query.trim());
  const spaced = folded.replaceAll(unspacedRun, " ");
  const words = [...spaced.matchAll(word)].map(([found]) => found).filter((found) => !stopWords.has(found));
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

/** Those that touch or overlap are one. */
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

/** A word without its English ending: `sails`, `sailed` and `sailing` are one. Only words of plain letters have one. */
function stemOf(found: string): string {
  if (found.length < 4 || found.length > 64 || found.endsWith("ss") || !/^[a-z]+$/u.test(found)) return found;
  const [cut = ""] = ending.exec(found) ?? [];
  const rest = found.slice(0, found.length - cut.length);
  if (rest.length < 3 || !/[aeiouy]/u.test(rest)) return found;
  if (/^(?:ies|ied|y)$/u.test(cut)) return `${rest}i`;
  return rest.length > 3 && /^(?:ing|ed)$/u.test(cut) ? rest.replace(/([bdgmnprt])\1$/u, "$1") : rest;
}
