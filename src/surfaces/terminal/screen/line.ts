// Converts a styled text to the columns of a terminal's line, so that two lines can be compared column by column.
// Invariant: a line is no wider than the given maximum, and its last column is visible.
import { isSameLook, type Look, lookAfter, plainLook } from "./look.ts";
import { graphemesOf, graphemeWidth } from "./text-width.ts";

export interface Cell {
  /** The character; empty in the columns of a wide character after the first. */
  readonly text: string;
  /** Number of columns of the character; 0 in its columns after the first. */
  readonly width: number;
  readonly look: Look;
}

export interface Line {
  /** The cells, one for each column. */
  readonly cells: readonly Cell[];
  /** Whether all terminals agree on the columns; they disagree about emoji and some combined characters. */
  readonly isCertain: boolean;
}

export const emptyLine: Line = { cells: [], isCertain: true };
const emptyCell: Cell = { text: " ", width: 1, look: plainLook };

const ascii = /^[\u0020-\u007e]*$/u;
const pictograph = /\p{Extended_Pictographic}/u;
/** Matches one character, with marks that take no column. */
const simple = /^\P{M}\p{Mn}*$/u;
// oxlint-disable-next-line no-control-regex -- sequences begin with a control character
const piece = /\u001b\[([\d;]*)m|\u001b\]8;;([^\u0007\u001b]*)\u0007|[^\u001b]+/gu;

/** Converts a text with sequences for styles to a line, cut at `maxWidth` columns. */
export function lineOf(styled: string, maxWidth: number): Line {
  const cells: Cell[] = [];
  let isCertain = true;
  let look = plainLook;
  for (const [text, parameters, link] of styled.matchAll(piece)) {
    if (parameters !== undefined || link !== undefined) {
      look = parameters === undefined ? { ...look, link: link ?? "" } : lookAfter(look, parameters);
      continue;
    }
    const isAscii = ascii.test(text);
    for (const grapheme of graphemesOf(text)) {
      const width = isAscii ? 1 : graphemeWidth(grapheme);
      if (cells.length + width > maxWidth) return { cells: trimmed(cells), isCertain };
      isCertain &&= isAscii || (width > 0 && isSimple(grapheme));
      append(cells, { text: grapheme, width, look });
    }
  }
  return { cells: trimmed(cells), isCertain };
}

function isSimple(grapheme: string): boolean {
  return simple.test(grapheme) && !pictograph.test(grapheme);
}

function append(cells: Cell[], cell: Cell): void {
  if (cell.width > 0) {
    cells.push(cell);
    for (let column = 1; column < cell.width; column += 1) cells.push({ text: "", width: 0, look: cell.look });
    return;
  }
  // A mark without a column of its own belongs to the character before it.
  const base = cells.findLastIndex(({ width }) => width > 0);
  const found = cells[base];
  if (found !== undefined) cells[base] = { ...found, text: found.text + cell.text };
}

function trimmed(cells: readonly Cell[]): readonly Cell[] {
  const last = cells.findLastIndex(({ text, look }) => text !== " " || look.hasLine);
  return last + 1 === cells.length ? cells : cells.slice(0, last + 1);
}

/** Whether two columns look the same. A missing column counts as empty. */
export function isSameCell(one: Cell = emptyCell, other: Cell = emptyCell): boolean {
  return one.text === other.text && one.width === other.width && isSameLook(one.look, other.look);
}

/** Whether two lines look the same. */
export function isSameLine(one: Line, other: Line): boolean {
  if (one === other) return true;
  return one.cells.length === other.cells.length && one.cells.every((cell, at) => isSameCell(cell, other.cells[at]));
}
