// The finished items of a chat, written once above the live region.
// Invariant: the rows of an item are counted when they are passed to Ink, so that a redraw begins with the first erased row.
import { Static } from "ink";
import { useLayoutEffect, useRef, useState } from "react";
import { itemRows } from "../rows/item-rows.ts";
import { type Row, rowText, span } from "../rows/row.ts";
import type { InkScreen } from "../screen/ink-screen.ts";
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import type { ViewItem } from "../view/view-item.ts";
import { Rows } from "./toned.tsx";

/** The rows of an item that were passed to Ink, which depend on the width. `place`: where they begin. */
interface WrittenRows {
  readonly item: number;
  readonly place: Place;
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** A place between the rows of an item, whatever their width: the letters and digits, and then the blank rows, before it. */
interface Place {
  readonly letters: number;
  readonly blank: number;
}

/** The beginning of <Static>: an item, and the place in it. */
interface Start {
  /** Number of redraws; each creates a new <Static>. */
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
        const all = itemRows(item, width);
        const place = index === 0 ? start.place : beginning;
        const rows = rowsAfter(all, place);
        written.push({ item: start.item + index, place, from: all.length - rows.length, to: all.length, width });
        return <Rows key={index} rows={rows} />;
      }}
    </Static>
  );
}

/** Returns the record of the written rows and their start, which moves when the state requests a redraw of erased rows. */
export function useTranscript({ items, redraws, size }: ViewState, screen: Pick<InkScreen, "redraw">): WrittenItems {
  const [start, setStart] = useState<Start>(() =>
    redraws === 0 ? { key: 0, item: 0, place: beginning } : fittingStart(),
  );
  const written = useRef<WrittenRows[]>([]);
  const drawnRedraws = useRef(redraws);
  const onWritten = useRef<(() => void) | null>(null);
  function fittingStart(): Start {
    // The screen was cleared: only the items that fill it are written.
    const width = contentWidth(size);
    const all = items.map((one, item) => ({ item, place: beginning, from: 0, to: itemRows(one, width).length, width }));
    return { key: 0, ...startBefore(all, size.rows, items) };
  }
  useLayoutEffect(() => onWritten.current?.(), [start]);
  useLayoutEffect(() => {
    if (redraws === drawnRedraws.current) return;
    drawnRedraws.current = redraws;
    void screen.redraw(
      (rows) =>
        new Promise((resolve) => {
          onWritten.current = resolve;
          const next = startBefore(written.current, rows, items);
          setStart(({ key }) => ({ key: key + 1, ...next }));
        }),
    );
  }, [redraws]);
  return { start, written: written.current };
}

/** Removes the last rows from the record. Returns the place where they begin. */
function startBefore(written: WrittenRows[], rows: number, items: readonly ViewItem[]): Omit<Start, "key"> {
  let start = { item: (written.at(-1)?.item ?? -1) + 1, place: beginning };
  for (let left = rows; left > 0; ) {
    const last = written.pop();
    if (last === undefined) break;
    const from = Math.max(last.from, last.to - left);
    left -= last.to - last.from;
    if (from > last.from) written.push({ ...last, to: from });
    const place = from > last.from ? placeOf(itemRows(items[last.item]!, last.width), from) : last.place;
    start = { item: last.item, place };
  }
  return start;
}

function placeOf(rows: readonly Row[], at: number): Place {
  const before = rows.slice(0, at);
  const text = before.findLastIndex((row) => lettersIn(row) > 0);
  return { letters: before.reduce((sum, row) => sum + lettersIn(row), 0), blank: at - 1 - text };
}

/** Returns the rows after a place. A row around the place begins there. */
function rowsAfter(rows: readonly Row[], { letters, blank }: Place): readonly Row[] {
  let left = letters;
  const at = rows.findIndex((row) => left <= 0 || (left -= lettersIn(row)) < 0);
  const row = rows[at];
  if (row === undefined) return [];
  if (left < 0) return [rowAfter(row, lettersIn(row) + left), ...rows.slice(at + 1)];
  const text = rows.findIndex((one, index) => index >= at && lettersIn(one) > 0);
  return rows.slice(Math.min(at + blank, text < 0 ? rows.length : text));
}

/** Returns a row without its first letters, and without the marks after them. */
function rowAfter(row: Row, letters: number): Row {
  const text = rowText(row);
  const last = [...text.matchAll(letter)][letters - 1];
  const end = last === undefined ? 0 : last.index + last[0].length;
  let left = end + (/^[^\s\p{L}\p{N}]*\s*/u.exec(text.slice(end))?.[0].length ?? 0);
  const rest = row.map((part) => {
    const kept = { ...part, text: part.text.slice(left) };
    left = Math.max(0, left - part.text.length);
    return kept;
  });
  return [span(/^\s*/u.exec(text)?.[0] ?? ""), ...rest];
}

const letter = /[\p{L}\p{N}]/gu;

function lettersIn(row: Row): number {
  return rowText(row).match(letter)?.length ?? 0;
}
