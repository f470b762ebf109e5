// Splits the text of a search hit into matches and other pieces, and cuts a long text around its best matches.
// Invariant: the concatenated pieces are the text, except for a `…` at each cut.
import type { TextMatch } from "./search-matches.ts";

export interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Share of an excerpt before its first match. */
const leadShare = 0.25;
/** Maximum distance of a word's start from the start of an excerpt, in UTF-16 units. */
const maxShift = 30;

/**
 * Returns the text in pieces. A text longer than `length` (UTF-16 units) is cut to that length, around the matches that are the
 * most, each word counting less the more often it matches, or at its beginning if there is none.
 */
export function excerptPieces(text: string, matches: readonly TextMatch[], length: number): readonly TextPiece[] {
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

/** Returns the start of the match with which the best excerpt begins: the first of several that are as good. */
function bestStart(text: string, matches: readonly TextMatch[], length: number): number {
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
    // Rounded: sums of the same words in another order must not differ.
    if (Math.round((shown.value() - bestValue) * 1e6) > 0) [best, bestValue] = [start, shown.value()];
    if (index < next) shown.remove(words[index]!);
  }
  return bestValue === 0 ? (matches[0]?.start ?? 0) : best;
}

/** The words of the matches in an excerpt. Each counts once, and less the more often it occurs in all matches. */
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

function windowOf(text: string, first: number, length: number): TextMatch {
  if (text.length <= length) return { start: 0, end: text.length };
  const latest = Math.max(0, text.length - length);
  const wanted = Math.min(latest, Math.max(0, first - Math.floor(length * leadShare)));
  const start = wanted === 0 ? 0 : wordStart(text, wanted, first);
  const end = Math.min(text.length, start + length);
  return { start, end: end === text.length ? end : characterBoundary(text, end) };
}

/** Returns the next start of a word that is near and not after the match, or else of a character. */
function wordStart(text: string, wanted: number, first: number): number {
  const space = text.slice(wanted, Math.min(wanted + maxShift, first + 1)).search(/\s\S/u);
  return space === -1 ? characterBoundary(text, wanted) : wanted + space + 1;
}

/** Returns the offset, or the start of the grapheme around it; within more than 64 marks, any of them. */
function characterBoundary(text: string, place: number): number {
  const from = Math.max(0, place - 64);
  // Made here: the first segmenter of a process takes 9 ms, which most commands do not need.
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const near = Array.from(graphemes.segment(text.slice(from, place + 64)), ({ index }) => from + index);
  return near.findLast((index) => index <= place && index > from) ?? place;
}
