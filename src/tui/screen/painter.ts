// Turns states of the chat into bytes for its terminal: finished items above, live rows below, the cursor in the prompt.
// Invariant: each finished item is drawn once, except for those on a screen that is redrawn; a frame contains only what differs
// from the frame before.
import { commands } from "../commands/registry.ts";
import type { ViewState } from "../view/chat-view.ts";
import { spinnerMs } from "../rows/frames.ts";
import { liveRows } from "../rows/live-rows.ts";
import { createFinishedRows, toLine, wrappedHeight } from "./finished-rows.ts";
import { blankPicture, frameDiff, type Picture, placeOf } from "./frame-diff.ts";
import { emptyLine } from "./line.ts";

export interface Painter {
  /** Returns the bytes of the next frame; empty if nothing has changed. */
  frame(state: ViewState, options: FrameOptions): string;
  /** Whether finished rows did not fit the last frame. */
  hasMore(): boolean;
  /** Returns the bytes that erase what the chat has drawn on the screen, or the whole screen, and draw it again. */
  redraw(state: ViewState, options: RedrawOptions): string;
  /** Returns the bytes of the last frame: an empty line instead of the live rows. The cursor is then on the line below. */
  last(state: ViewState): string;
  /** Returns the bytes that leave the drawn frame as it is and move the cursor below it. */
  leave(): string;
}

export interface FrameOptions {
  readonly now: Date;
  /** About how many bytes of finished rows the frame may contain; at least one row is drawn. */
  readonly maxBytes: number;
}

export interface RedrawOptions {
  readonly now: Date;
  /** The cursor's row on the screen, from 0. */
  readonly cursorRow: number;
  readonly erase: "chat" | "screen";
}

const showCursor = "\u001b[?25h";
/** Longer frames are shown by terminals as a whole, if they can: the marks take 16 bytes. */
const longFrame = 400;
const lastPicture: Picture = { lines: [emptyLine, emptyLine], cursor: { x: 0, y: 1 } };

/**
 * Creates a painter for a region that begins at the beginning of the cursor's line. After a redraw, for which the caller has
 * cleared the screen, only the items that fit are drawn.
 */
export function createPainter(opening: ViewState): Painter {
  const finished = createFinishedRows(opening);
  let drawn = blankPicture;
  let shown = { tick: 0, progress: opening.progress };

  const livePicture = (state: ViewState, now: Date): Picture => {
    const tick = Math.floor(now.getTime() / spinnerMs);
    // The numbers beside the spinner change when it turns: with each frame, they would take more bytes than the text.
    if (tick !== shown.tick || state.progress === null || shown.progress === null)
      shown = { tick, progress: state.progress };
    // Live text follows the finished rows.
    const blocks = finished.hasMore() ? [] : state.blocks;
    const { rows, cursor } = liveRows({ ...state, blocks, progress: shown.progress }, commands, { tick, now });
    return { lines: rows.map((row) => toLine(row, state)), cursor };
  };
  const draw = (state: ViewState, maxBytes: number, live: () => Picture): string => {
    const above = finished.take(state, maxBytes);
    const { lines, cursor } = live();
    const next = cursor === undefined ? undefined : { x: cursor.x, y: cursor.y + above.length };
    const text = frameDiff(drawn, { lines: [...above, ...lines], cursor: next }, state.size.rows);
    drawn = { lines, cursor };
    return text;
  };

  return {
    frame: (state, { now, maxBytes }) => atOnce(draw(state, maxBytes, () => livePicture(state, now))),
    hasMore: finished.hasMore,
    redraw(state, { now, cursorRow, erase }) {
      const { columns } = state.size;
      const liveTop = cursorRow - linesAboveCursor(drawn, columns);
      const height = finished.takeBack(liveTop, columns);
      const erased = erasedFrom(erase === "screen" ? 0 : Math.max(0, liveTop - height));
      const shownCursor = drawn.cursor === undefined ? showCursor : "";
      drawn = blankPicture;
      const text = draw(state, Number.POSITIVE_INFINITY, () => livePicture(state, now));
      return atOnce(erased + shownCursor + text);
    },
    last: (state) => atOnce(draw(state, Number.POSITIVE_INFINITY, () => lastPicture)),
    leave: () => "\r\n".repeat(drawn.lines.length - placeOf(drawn).y) + (drawn.cursor === undefined ? showCursor : ""),
  };
}

function atOnce(frame: string): string {
  return frame.length > longFrame ? `\u001b[?2026h${frame}\u001b[?2026l` : frame;
}

/** Returns the bytes that erase the screen from a row on. tmux and others move a screen erased as a whole to the scrollback. */
function erasedFrom(row: number): string {
  return row === 0 ? "\u001b[H\u001b[K\r\n\u001b[J\u001b[H" : `\u001b[${row + 1}H\u001b[J`;
}

/** Returns the screen lines of the region above the cursor's, after a terminal has wrapped them. */
function linesAboveCursor(drawn: Picture, columns: number): number {
  const { x, y } = placeOf(drawn);
  const above = drawn.lines.slice(0, y).map((line) => wrappedHeight(line, columns));
  return above.reduce((sum, height) => sum + height, Math.floor(x / columns));
}
