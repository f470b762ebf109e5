// Writes at places of the screen: moves the cursor and switches styles with as few bytes as possible.
// Invariant: places are relative to the first line of the drawn region, because its place on the screen is unknown. A pen that
// moves below the last line adds lines, and the terminal scrolls when there is no room.
import type { Cell } from "./line.ts";
import { type Look, plainLook, switchLook } from "./look.ts";

export interface Pen {
  /** Everything written so far. */
  text: string;
  /** The column of the cursor; null after characters about whose width terminals disagree. */
  x: number | null;
  y: number;
  /** The last line that the pen may move to without adding one. */
  bottom: number;
  look: Look;
}

const csi = "\u001b[";

/** Returns a pen at a place of a region whose last line is `bottom`. */
export function penAt({ x, y }: { readonly x: number; readonly y: number }, bottom: number): Pen {
  return { text: "", x, y, bottom, look: plainLook };
}

/** Moves to a place; adds lines if it is below the last one. */
export function moveTo(pen: Pen, x: number, y: number): void {
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
export function put(pen: Pen, cells: readonly Cell[]): void {
  for (const cell of cells) {
    pen.text += switchLook(pen.look, cell.look) + cell.text;
    pen.look = cell.look;
  }
  if (pen.x !== null) pen.x += cells.length;
}

/** Erases from the pen's place to the end of the line. */
export function eraseLineEnd(pen: Pen): void {
  pen.text += `${csi}K`;
}

/** Erases from the pen's place to the end of the screen. */
export function eraseScreenEnd(pen: Pen): void {
  pen.text += `${csi}J`;
}

/** Inserts empty lines before a line of the region; the lines below move down. All lines must fit the screen. */
export function insertLines(pen: Pen, at: number, count: number): void {
  moveTo(pen, 0, pen.bottom + count);
  moveTo(pen, 0, at);
  pen.text += `${csi}${count === 1 ? "" : count}L`;
}

/** Deletes lines of the region; the lines below move up. */
export function deleteLines(pen: Pen, at: number, count: number): void {
  moveTo(pen, 0, at);
  pen.text += `${csi}${count === 1 ? "" : count}M`;
}

/** Returns to plain text. */
export function endLook(pen: Pen): void {
  pen.text += switchLook(pen.look, plainLook);
  pen.look = plainLook;
}
