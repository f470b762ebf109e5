// A text that a search has found as it is shown to people: its matches told apart, and a long one cut around the first.
// Invariant: the pieces are the text itself, in order, but for a `…` where something was cut.
import type { TextMatch } from "./search-matches.ts";

export interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** The shares of an excerpt that stand before the first match, and in which a word's beginning is looked for. */
const before = 0.25;
const slack = 30;

/**
 * The text in pieces, matches apart from the rest. Of a text that is longer than `length` (UTF-16 units) as much is left, around
 * the first match or from the beginning when there is none.
 */
export function excerptPieces(text: string, matches: readonly TextMatch[], length: number): readonly TextPiece[] {
  const { start, end } = windowOf(text, matches[0]?.start ?? 0, length);
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

function windowOf(text: string, first: number, length: number): TextMatch {
  if (text.length <= length) return { start: 0, end: text.length };
  const latest = Math.max(0, text.length - length);
  const wanted = Math.min(latest, Math.max(0, first - Math.floor(length * before)));
  const start = wanted === 0 ? 0 : wordStart(text, wanted, first);
  const end = Math.min(text.length, start + length);
  return { start, end: end === text.length ? end : characterBoundary(text, end) };
}

/** The next beginning of a word that is near and not behind the match, else of a character. */
function wordStart(text: string, wanted: number, first: number): number {
  const space = text.slice(wanted, Math.min(wanted + slack, first + 1)).search(/\s\S/u);
  return space === -1 ? characterBoundary(text, wanted) : wanted + space + 1;
}

/** The place itself or, within a character as readers see it, its beginning; of a pile of marks, any of them. */
function characterBoundary(text: string, place: number): number {
  const from = Math.max(0, place - 64);
  const near = Array.from(graphemes.segment(text.slice(from, place + 64)), ({ index }) => from + index);
  return near.findLast((index) => index <= place && index > from) ?? place;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
