// Draws the finished items of a chat, each once, above the live region.
// Invariant: the rows that were passed to Ink are recorded, unless a redraw was undone, so that a redraw writes exactly the rows
// that are erased.
import { Static } from "ink";
import { useLayoutEffect, useRef, useState } from "react";
import { itemRows } from "../rows/item-rows.ts";
import { type Row, rowText } from "../rows/row.ts";
import type { InkScreen } from "../screen/ink-screen.ts";
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import type { ViewItem } from "../view/view-item.ts";
import { Rows } from "./toned.tsx";

/** A range of an item's rows that was passed to Ink. `width` is recorded, because the number of rows depends on it. */
interface WrittenRows {
  readonly item: number;
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** A boundary between rows at any width: after `letters` letters and digits, and then `blank` rows without any. */
interface Place {
  readonly letters: number;
  readonly blank: number;
}

/** The place at which <Static> begins to write: an item, and a boundary between its rows. */
interface Start {
  /** The number of redraws, as React's key: a new key makes React replace <Static>, which writes its items again. */
  readonly key: number;
  readonly item: number;
  readonly place: Place;
}

const beginning: Place = { letters: 0, blank: 0 };

export interface WrittenItems {
  readonly start: Start;
  readonly written: WrittenRows[];
}

export interface TranscriptProps extends WrittenItems {
  readonly items: readonly ViewItem[];
  readonly width: number;
}

export function Transcript({ items, width, start, written }: TranscriptProps) {
  return (
    <Static key={start.key} items={items.slice(start.item)}>
      {(item, index) => {
        const rows = itemRows(item, width);
        const from = index === 0 ? rowAt(rows, start.place) : 0;
        written.push({ item: start.item + index, from, to: rows.length, width });
        return <Rows key={index} rows={rows.slice(from)} />;
      }}
    </Static>
  );
}

/** Returns the written rows, and where they start. A redraw moves the start to the first row that was erased. */
export function useTranscript(state: ViewState, screen: Pick<InkScreen, "redraw">): WrittenItems {
  const { items, redraws } = state;
  const [start, setStart] = useState<Start>(() => ({ key: 0, ...firstStart(state) }));
  const written = useRef<WrittenRows[]>([]);
  const newest = useRef(items);
  newest.current = items;
  const drawnRedraws = useRef(redraws);
  const onWritten = useRef<(() => void) | null>(null);
  useLayoutEffect(() => onWritten.current?.(), [start]);
  useLayoutEffect(() => {
    if (redraws === drawnRedraws.current) return;
    drawnRedraws.current = redraws;
    void screen.redraw(async (rows) => {
      const before = [...written.current];
      await new Promise<void>((resolve) => {
        onWritten.current = resolve;
        // Items may have been added since the redraw began.
        const next = startBefore(written.current, rows, newest.current);
        setStart(({ key }) => ({ key: key + 1, ...next }));
      });
      return () => {
        const last = before.at(-1)?.item ?? -1;
        const newer = written.current.filter(({ item }) => item > last);
        written.current = [...before, ...newer];
        return newer.reduce((sum, { from, to }) => sum + to - from, 0);
      };
    });
  }, [redraws]);
  return { start, written: written.current };
}

/** Returns where writing starts on an empty screen, so that it is full and shows all items added since `lentAt`. */
function firstStart({ items, lentAt, size }: ViewState): Omit<Start, "key"> {
  const width = contentWidth(size);
  const all = items.map((one, item) => ({ item, from: 0, to: itemRows(one, width).length, width }));
  const filling = startBefore(all, size.rows, items);
  return filling.item < lentAt ? filling : { item: lentAt, place: beginning };
}

/** Removes the last `rows` rows from the record. Returns the place where the removed rows begin. */
function startBefore(written: WrittenRows[], rows: number, items: readonly ViewItem[]): Omit<Start, "key"> {
  let start = { item: (written.at(-1)?.item ?? -1) + 1, place: beginning };
  for (let left = rows; left > 0; ) {
    const last = written.pop();
    if (last === undefined) break;
    const from = Math.max(last.from, last.to - left);
    left -= last.to - last.from;
    if (from > last.from) written.push({ ...last, to: from });
    start = { item: last.item, place: placeOf(itemRows(items[last.item]!, last.width), from) };
  }
  return start;
}

function placeOf(rows: readonly Row[], at: number): Place {
  const before = rows.slice(0, at);
  const text = before.findLastIndex((row) => lettersIn(row) > 0);
  return { letters: before.reduce((sum, row) => sum + lettersIn(row), 0), blank: at - 1 - text };
}

/** Returns the index of the first row after a boundary, or of the row that contains the boundary at this width. */
function rowAt(rows: readonly Row[], { letters, blank }: Place): number {
  let left = letters;
  const at = rows.findIndex((row) => left <= 0 || (left -= lettersIn(row)) < 0);
  if (at < 0) return rows.length;
  const text = rows.findIndex((row, index) => index >= at && lettersIn(row) > 0);
  return left < 0 ? at : Math.min(at + blank, text < 0 ? rows.length : text);
}

function lettersIn(row: Row): number {
  return rowText(row).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
