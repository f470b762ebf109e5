// Converts the frames of Ink to bytes: the lines of <Static> once, above the newest live region.
// Invariant: each line of <Static> is returned once, in order, unless `takeBack` makes Ink render it again. A frame contains
// only the differences from the frame before.
import { blankPicture, frameDiff, type Picture, placeOf } from "./frame-diff.ts";
import type { InkFrame } from "./ink-stdout.ts";
import { emptyLine, type Line, lineOf } from "./line.ts";
import type { ScreenSize } from "./screen-size.ts";

interface TakenBack {
  /** Number of lines of <Static> that Ink must render again. */
  readonly lines: number;
  /** Number of rows from the first of these lines to the cursor. */
  readonly rowsAbove: number;
  /** Restores the lines for a screen that was not erased. Of the lines that Ink rendered since, keeps the last `newLines`. */
  undo(newLines: number): void;
}

/**
 * Where erasing begins: the whole screen, or this many rows above the cursor. Rows are counted from the cursor, because
 * the terminal may become higher before it receives the bytes, and then shows lines of its scrollback at the top.
 */
type EraseFrom = "screen" | number;

const showCursor = "\u001b[?25h";
/** A frame longer than this is enclosed in marks that let some terminals show it at once; the marks take 16 bytes. */
const longFrame = 400;
/** Approximate bytes that it takes to move to a line. */
const bytesPerLine = 8;
/** Maximum number of lines that are remembered as written, more than any screen has. */
const maxRemembered = 500;
const lastPicture: Picture = { lines: [emptyLine, emptyLine], cursor: { x: 0, y: 1 } };

export function createInkFrames() {
  let drawn = blankPicture;
  let live = blankPicture;
  let known: ReadonlyMap<string, Line> = new Map();
  /** `pending`: lines of <Static> that wait for a frame; `above`: written lines that may still be on the screen. */
  let pending: readonly Line[] = [];
  let above: readonly Line[] = [];
  let continued = 0;

  const take = (maxBytes: number): readonly Line[] => {
    const count = fitting(pending, maxBytes);
    const taken = pending.slice(0, count);
    pending = pending.slice(count);
    above = [...above, ...taken].slice(-maxRemembered);
    return taken;
  };
  const draw = (maxBytes: number, { rows }: ScreenSize, last?: Picture): string => {
    const taken = take(maxBytes);
    const picture = last ?? (pending.length === 0 ? live : withoutTop(live, continued));
    const cursor = picture.cursor && { x: picture.cursor.x, y: picture.cursor.y + taken.length };
    const text = frameDiff(drawn, { lines: [...taken, ...picture.lines], cursor }, rows);
    drawn = picture;
    return text;
  };
  return {
    /** Adds a frame of Ink. */
    add({ finished, live: lines, cursor }: InkFrame, { columns }: ScreenSize): void {
      // The last column stays free: some terminals wrap a line that fills it.
      const toLine = (text: string): Line => lineOf(text, Math.max(1, columns - 1));
      if (finished.length > 0) pending = [...pending, ...finished.map(toLine)];
      if (lines !== null) known = new Map(lines.map((text) => [text, known.get(text) ?? toLine(text)]));
      live = { lines: lines === null ? live.lines : lines.map((text) => known.get(text) ?? emptyLine), cursor };
    },
    /** Sets how many top lines of the live region continue the text of <Static>, so that they are shown after it. */
    continuing(lines: number): void {
      continued = lines;
    },
    /**
     * Returns the bytes of the next frame; empty if nothing has changed. `maxBytes` limits approximately the bytes of lines of
     * <Static>; the frame contains at least one of the waiting lines.
     */
    next: (size: ScreenSize, maxBytes: number) => atOnce(draw(maxBytes, size)),
    /** Whether lines of <Static> wait for the next frame. */
    hasMore: () => pending.length > 0,
    /** Takes back the lines of <Static> that are on the screen or wait, so that Ink can render them again. */
    takeBack(cursorRow: number, { columns }: ScreenSize): TakenBack {
      const before = { above, pending };
      const liveTop = cursorRow - linesAboveCursor(drawn, columns);
      const { left, height, lines } = takenBack(above, liveTop, columns);
      above = left;
      pending = [];
      known = new Map();
      return {
        lines: lines + before.pending.length,
        rowsAbove: cursorRow - Math.max(0, liveTop - height),
        undo(newLines) {
          ({ above } = before);
          pending = [...before.pending, ...pending.slice(pending.length - newLines)];
        },
      };
    },
    /** Returns the bytes that erase what `from` names, and draw all waiting lines and the live region there. */
    again(size: ScreenSize, from: EraseFrom): string {
      const erased = erase(from) + (drawn.cursor === undefined ? showCursor : "");
      drawn = blankPicture;
      return atOnce(erased + draw(Number.POSITIVE_INFINITY, size));
    },
    /** Returns the bytes of the last frame: an empty line instead of the live region. The cursor is then on the line below. */
    last: (size: ScreenSize) => atOnce(draw(Number.POSITIVE_INFINITY, size, lastPicture)),
    /** Returns the bytes that move the cursor below what is drawn. */
    leave: () => "\r\n".repeat(drawn.lines.length - placeOf(drawn).y) + (drawn.cursor === undefined ? showCursor : ""),
  };
}

export type InkFrames = ReturnType<typeof createInkFrames>;

function atOnce(frame: string): string {
  return frame.length > longFrame ? `\u001b[?2026h${frame}\u001b[?2026l` : frame;
}

/** Returns the number of first lines that take approximately `maxBytes`, at least one if there is one. */
function fitting(lines: readonly Line[], maxBytes: number): number {
  let bytes = 0;
  let count = 0;
  for (; count < lines.length && (count === 0 || bytes < maxBytes); count += 1)
    bytes += (lines[count]?.cells.length ?? 0) + bytesPerLine;
  return count;
}

/** Returns the bytes that erase in two steps, because tmux saves the screen to its scrollback if one step erases it. */
function erase(from: EraseFrom): string {
  const [begin, back] =
    from === "screen" ? ["\u001b[H", "\u001b[H"] : [from > 0 ? `\u001b[${from}A\r` : "\r", "\u001b[A"];
  return `${begin}\u001b[K\r\n\u001b[J${back}`;
}

/** A written line. `isBeginning`: only the part that has scrolled off the screen, because the rest is drawn again. */
interface Beginning extends Line {
  readonly isBeginning?: true;
}

/** Returns the number of rows of the screen that a line takes. */
function wrappedHeight({ cells }: Line, columns: number): number {
  return Math.max(1, Math.ceil(cells.length / columns));
}

/** Returns the number of rows of the region above the row of the cursor. Pure. */
function linesAboveCursor(drawn: Picture, columns: number): number {
  const { x, y } = placeOf(drawn);
  const above = drawn.lines.slice(0, y).map((line) => wrappedHeight(line, columns));
  return above.reduce((sum, height) => sum + height, Math.floor(x / columns));
}

/**
 * Takes the last lines that fill `rows`. Returns the lines that are left, and the number and height in rows of those that
 * were taken. A `Beginning` is not counted in `lines`, because its line was counted when the rest of the line was drawn again.
 */
function takenBack(
  all: readonly Beginning[],
  rows: number,
  columns: number,
): { readonly left: readonly Beginning[]; readonly height: number; readonly lines: number } {
  let height = 0;
  let lines = 0;
  let first = all.length;
  while (first > 0 && height < rows) {
    first -= 1;
    height += wrappedHeight(all[first]!, columns);
    lines += all[first]!.isBeginning ? 0 : 1;
  }
  const highest = all[first];
  // The beginning of a wrapped line is still in the scrollback, and returns to the screen if the screen becomes higher.
  const rest = highest === undefined || height <= rows ? [] : [beginningOf(highest, (height - rows) * columns)];
  return { left: [...all.slice(0, first), ...rest], height, lines };
}

/** Returns the part of a line that has scrolled off the screen. */
function beginningOf(line: Line, columns: number): Beginning {
  return { ...line, cells: line.cells.slice(0, columns), isBeginning: true };
}

function withoutTop({ lines, cursor }: Picture, count: number): Picture {
  return { lines: lines.slice(count), cursor: cursor && { x: cursor.x, y: cursor.y - count } };
}
