// Computes the bytes that turn the drawn picture into the next frame.
// Invariant: pure. Lines are drawn from top to bottom, and only lines of the drawn region are changed, so lines that scroll off
// the screen keep their last content.
import { type Cell, emptyLine, isSameCell, isSameLine, type Line } from "./line.ts";
import { type Look, plainLook, switchLook } from "./look.ts";

/** A place relative to the first line and column of a region. */
export interface CursorPosition {
  readonly x: number;
  readonly y: number;
}

/** The lines of the drawn region, at least one, and the cursor in the region; undefined while the cursor is hidden. */
export interface Picture {
  readonly lines: readonly Line[];
  readonly cursor: CursorPosition | undefined;
}

/** An empty region at the beginning of a line. */
export const blankPicture: Picture = { lines: [emptyLine], cursor: { x: 0, y: 0 } };

/** Maximum columns of an unchanged gap that may be written again; over a longer gap, the cursor is always moved. */
const longestGap = 12;
/** Number of places where the diff tries to insert or delete lines, from the unchanged end of the region upwards. */
const trials = 3;

/** Returns the place of the cursor; a hidden cursor is at the beginning of the last line. */
export function placeOf({ lines, cursor }: Picture): CursorPosition {
  return cursor ?? { x: 0, y: lines.length - 1 };
}

/**
 * Returns the shortest of several ways to draw `next` over `drawn`, on a screen with `screenRows` rows; empty if both are
 * the same. `next` may have more lines than the screen has rows; `drawn` must not.
 */
export function frameDiff(drawn: Picture, next: Picture, screenRows: number): string {
  const ways = [draw(drawn, next, null), ...shiftsOf(drawn, next, screenRows).map((shift) => draw(drawn, next, shift))];
  return ways.reduce((best, way) => (Buffer.byteLength(way) < Buffer.byteLength(best) ? way : best));
}

/** The number of lines to insert before the line `at`; if negative, of lines to delete from `at` on. */
interface Shift {
  readonly at: number;
  readonly count: number;
}

/** Returns the possible shifts that keep the equal lines at the end of both pictures; none if there are no equal lines. */
function shiftsOf({ lines: old }: Picture, { lines: wanted }: Picture, screenRows: number): readonly Shift[] {
  const count = wanted.length - old.length;
  if (count === 0 || Math.max(wanted.length, old.length) > screenRows) return [];
  const shorter = Math.min(old.length, wanted.length);
  let prefix = 0;
  while (prefix < shorter && isSameAt(old, wanted, [prefix, prefix])) prefix += 1;
  let suffix = 0;
  while (suffix < shorter - prefix && isSameAt(old, wanted, [old.length - suffix - 1, wanted.length - suffix - 1]))
    suffix += 1;
  if (suffix === 0) return [];
  const last = shorter - suffix;
  const first = Math.max(prefix, last - trials + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => ({ at: first + index, count }));
}

function isSameAt(one: readonly Line[], other: readonly Line[], [at, otherAt]: readonly [number, number]): boolean {
  return isSameLine(one[at] ?? emptyLine, other[otherAt] ?? emptyLine);
}

function draw(drawn: Picture, next: Picture, shift: Shift | null): string {
  const pen = penAt(placeOf(drawn), drawn.lines.length - 1);
  const old = shift === null ? drawn.lines : shifted(pen, drawn.lines, shift);
  for (const [y, line] of next.lines.entries()) drawLine(pen, y, [old[y] ?? emptyLine, line]);
  const below = next.lines.length;
  if (below - 1 > pen.bottom) moveTo(pen, 0, below - 1);
  if (old.length > below) {
    moveTo(pen, 0, below);
    // Erases to the end of the screen.
    pen.text += `${csi}J`;
  }
  pen.text += switchLook(pen.look, plainLook);
  const { x, y } = placeOf(next);
  moveTo(pen, x, y);
  if (drawn.cursor === undefined && next.cursor !== undefined) return `${pen.text}\u001b[?25h`;
  return drawn.cursor !== undefined && next.cursor === undefined ? `\u001b[?25l${pen.text}` : pen.text;
}

/** Inserts (`L`) or deletes (`M`) lines, which must fit the screen. Returns the lines as the screen then shows them. */
function shifted(pen: Pen, lines: readonly Line[], { at, count }: Shift): readonly Line[] {
  if (count > 0) moveTo(pen, 0, pen.bottom + count);
  moveTo(pen, 0, at);
  const size = Math.abs(count) === 1 ? "" : Math.abs(count);
  pen.text += `${csi}${size}${count > 0 ? "L" : "M"}`;
  if (count < 0) return lines.toSpliced(at, -count);
  return [...lines.slice(0, at), ...Array.from({ length: count }, () => emptyLine), ...lines.slice(at)];
}

function drawLine(pen: Pen, y: number, [old, line]: readonly [Line, Line]): void {
  if (isSameLine(old, line)) return;
  const { cells } = line;
  if (old.isCertain && line.isCertain) {
    for (const [from, to] of changesOf(old, line)) {
      if (!bridges(pen, { cells, from, y })) moveTo(pen, from, y);
      put(pen, cells.slice(from, to));
    }
    if (old.cells.length <= cells.length) return;
    moveTo(pen, cells.length, y);
  } else {
    moveTo(pen, 0, y);
    // Without auto-wrap, a terminal that draws the line wider drops its end. A wrapped line would move the lines below.
    if (!line.isCertain) pen.text += `${csi}?7l`;
    put(pen, cells);
    if (!line.isCertain) {
      pen.text += `${csi}?7h`;
      pen.x = null;
    }
  }
  // Erases to the end of the line.
  if (old.cells.length > 0) pen.text += `${csi}K`;
}

/** Returns the ranges of columns that differ, extended so that no range begins or ends within a wide character. */
function changesOf(old: Line, { cells }: Line): readonly (readonly [number, number])[] {
  const changes: [number, number][] = [];
  let x = 0;
  while (x < cells.length) {
    const width = Math.max(1, cells[x]?.width ?? 1);
    if (!isSameCell(old.cells[x], cells[x])) {
      const last = changes.at(-1);
      if (last?.[1] === x) last[1] = x + width;
      else changes.push([x, x + width]);
    }
    x += width;
  }
  return changes;
}

/** Writes the unchanged columns before `from`, unless moving over them takes fewer bytes. Returns whether it wrote. */
function bridges(pen: Pen, { cells, from, y }: { cells: Line["cells"]; from: number; y: number }): boolean {
  if (pen.y !== y || pen.x === null || pen.x >= from || from - pen.x > longestGap) return false;
  const [written, moved] = [{ ...pen }, { ...pen }];
  put(written, cells.slice(pen.x, from));
  moveTo(moved, from, y);
  if (Buffer.byteLength(written.text) > Buffer.byteLength(moved.text)) return false;
  Object.assign(pen, written);
  return true;
}

interface Pen {
  text: string;
  /** The column of the cursor; null after characters that some terminals draw wider than others. */
  x: number | null;
  y: number;
  /** The last line to which the pen can move without adding lines. */
  bottom: number;
  look: Look;
}

const csi = "\u001b[";

/**
 * Returns a pen at a place of a region whose last line is `bottom`. Places are relative to the first line of the drawn
 * region, because its place on the screen is unknown. A pen that moves below the last line adds lines, and the terminal
 * scrolls when there is no room.
 */
function penAt({ x, y }: { readonly x: number; readonly y: number }, bottom: number): Pen {
  return { text: "", x, y, bottom, look: plainLook };
}

/** Moves to a place; adds lines if the place is below the last line. */
function moveTo(pen: Pen, x: number, y: number): void {
  const down = Math.min(y, pen.bottom) - pen.y;
  const isNextLine = down === 1 && x === 0 && y <= pen.bottom;
  if (isNextLine || y > pen.bottom) {
    if (!isNextLine) pen.text += vertical(down);
    const added = isNextLine ? 1 : y - pen.bottom;
    pen.text += "\r\n".repeat(added);
    pen.x = 0;
    pen.bottom = Math.max(pen.bottom, y);
  } else pen.text += vertical(down);
  pen.y = y;
  pen.text += horizontal(pen.x, x);
  pen.x = x;
}

function vertical(down: number): string {
  if (down === 0) return "";
  return `${csi}${Math.abs(down) === 1 ? "" : Math.abs(down)}${down > 0 ? "B" : "A"}`;
}

function horizontal(from: number | null, to: number): string {
  if (from === to) return "";
  if (to === 0) return "\r";
  const absolute = `${csi}${to + 1}G`;
  if (from === null) return absolute;
  const distance = Math.abs(to - from);
  if (to < from && distance <= 3) return "\b".repeat(distance);
  const relative = `${csi}${distance === 1 ? "" : distance}${to > from ? "C" : "D"}`;
  return relative.length < absolute.length ? relative : absolute;
}

/** Writes columns of a line at the pen's place, which must not be within a wide character. */
function put(pen: Pen, cells: readonly Cell[]): void {
  for (const cell of cells) {
    pen.text += switchLook(pen.look, cell.look) + cell.text;
    pen.look = cell.look;
  }
  if (pen.x !== null) pen.x += cells.length;
}
