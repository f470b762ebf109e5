// Cuts sections into passages at natural boundaries; each passage starts with the end of the previous one.
// Invariant: a passage is an exact part of its section, without white space at its ends; every word of a section is in
// a passage; no passage exceeds the maximum tokens, unless a single character does.
import type { SourceLocation } from "../../store/port/passage-store.ts";
import type { Chunking } from "../source-load.ts";
import type { Section, SectionStyle } from "./section.ts";
import { type Piece, splitText } from "./split-text.ts";

export interface Chunk {
  readonly content: string;
  readonly place: Omit<SourceLocation, "file">;
}

/**
 * Yields the passages of a section one by one: a text of 10 MB takes seconds, and a caller can pause between two passages.
 * Yields null for a stretch of only white space.
 */
export function* chunkSection({ text, style, place }: Section, options: Chunking): Generator<Chunk | null> {
  const { lineFrom, lineTo, ...where } = place;
  const lineAt = createLineCounter(text, lineFrom ?? 0);
  for (const { start, end } of stretchesOf(text, { ...options, style })) {
    const stretch = text.slice(start, end);
    const content = stretch.trim();
    if (content === "") yield null;
    else if (lineFrom === undefined || lineTo !== undefined) yield { content, place };
    else {
      const from = lineAt(start + stretch.indexOf(content));
      yield { content, place: { ...where, lineFrom: from, lineTo: from + lineEnds(content) } };
    }
  }
}

type StyledOptions = Chunking & { readonly style: SectionStyle };

interface Stretch {
  readonly start: number;
  readonly end: number;
}

function* stretchesOf(text: string, options: StyledOptions): Generator<Stretch> {
  const pieces = createPieceReader(splitText(text, options));
  let first = 0;
  let end = 0;
  while (pieces.has(end)) {
    const full = fullFrom(text, pieces, { first, min: end + 1 }, options);
    end = pieces.has(full) ? bestEnd(pieces, { first, min: end + 1, full }, options) : full;
    yield { start: pieces.at(first).start, end: pieces.at(end - 1).end };
    first = overlapFrom(pieces, { first, end }, options);
    pieces.forget(first);
  }
}

/** The pieces of a text by their index, split on demand: a text of only line ends has millions. */
interface PieceReader {
  has(index: number): boolean;
  /** Returns a piece for which `has` returned true, and which is not forgotten. */
  at(index: number): Piece;
  /** Forgets the pieces before this one. */
  forget(index: number): void;
}

function createPieceReader(source: Iterator<Piece>): PieceReader {
  let from = 0;
  let held: Piece[] = [];
  return {
    has(index) {
      while (from + held.length <= index) {
        const next = source.next();
        if (next.done === true) return false;
        held.push(next.value);
      }
      return true;
    },
    at: (index) => held[index - from]!,
    forget(index) {
      held = held.slice(index - from);
      from = index;
    },
  };
}

/** Returns the index after the last piece that fits into one passage with the pieces from `first` on; at least `min`. */
function fullFrom(
  text: string,
  pieces: PieceReader,
  { first, min }: { readonly first: number; readonly min: number },
  { maxTokens, countTokens }: Chunking,
): number {
  let end = first;
  let tokens = 0;
  while (pieces.has(end) && (end < min || tokens + pieces.at(end).tokens <= maxTokens)) {
    tokens += pieces.at(end).tokens;
    end += 1;
  }
  // Joined pieces may have more tokens than the sum of the single pieces.
  while (end > min && countTokens(text.slice(pieces.at(first).start, pieces.at(end - 1).end)) > maxTokens) end -= 1;
  return end;
}

/** Returns the best end in the second half of a passage; if several ends are equally good, the last of them. */
function bestEnd(
  pieces: PieceReader,
  { first, min, full }: { readonly first: number; readonly min: number; readonly full: number },
  { maxTokens }: Chunking,
): number {
  let tokens = 0;
  let best = full;
  for (let index = first; index < full; index += 1) {
    tokens += pieces.at(index).tokens;
    const isCandidate = index + 1 >= min && tokens * 2 >= maxTokens;
    if (isCandidate && (best === full || pieces.at(index).bond >= pieces.at(best - 1).bond)) best = index + 1;
  }
  return pieces.at(full - 1).bond >= pieces.at(best - 1).bond ? full : best;
}

/** Returns the start of the next passage. It repeats the last whole pieces of this passage if the next piece still fits. */
function overlapFrom(
  pieces: PieceReader,
  { first, end }: { readonly first: number; readonly end: number },
  { maxTokens, overlapTokens, style }: StyledOptions,
): number {
  // After the end of a function, nothing is repeated: the end of one function does not explain the next.
  if (style === "code" && pieces.at(end - 1).bond === 2) return end;
  const max = Math.min(overlapTokens, maxTokens - (pieces.has(end) ? pieces.at(end).tokens : 0));
  let start = end;
  let tokens = 0;
  while (start - 1 > first && tokens + pieces.at(start - 1).tokens <= max) {
    start -= 1;
    tokens += pieces.at(start).tokens;
  }
  return start;
}

/**
 * Returns a function that returns the line at an index of the text. An index may be smaller than the previous one by at
 * most one overlap, so each line end is counted only a few times.
 */
function createLineCounter(text: string, firstLine: number): (index: number) => number {
  let at = 0;
  let line = firstLine;
  return (index) => {
    if (index >= at) line += lineEnds(text.slice(at, index));
    else line -= lineEnds(text.slice(index, at));
    at = index;
    return line;
  };
}

function lineEnds(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count += 1;
  return count;
}
