// The finished items of a chat, written once above the live region.
// Invariant: the rows of an item are counted when they are passed to Ink, so that a redraw begins with the first erased row.
import { Static } from "ink";
import { useLayoutEffect, useRef, useState } from "react";
import { itemRows } from "../rows/item-rows.ts";
import type { InkScreen } from "../screen/ink-screen.ts";
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import type { ViewItem } from "../view/view-item.ts";
import { Rows } from "./toned.tsx";

/** The rows of an item that were passed to Ink, and their total `of`, which depends on the width. */
interface WrittenRows {
  readonly item: number;
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** The beginning of <Static>: an item, and the share of its rows to skip. */
interface Start {
  /** Number of redraws; each creates a new <Static>. */
  readonly key: number;
  readonly item: number;
  readonly part: number;
}

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
        const from = index === 0 ? Math.floor(rows.length * start.part) : 0;
        written.push({ item: start.item + index, from, to: rows.length, of: rows.length });
        return <Rows key={index} rows={rows.slice(from)} />;
      }}
    </Static>
  );
}

/** Returns the record of the written rows and their start, which moves when the state requests a redraw of erased rows. */
export function useTranscript({ items, redraws, size }: ViewState, screen: Pick<InkScreen, "redraw">): WrittenItems {
  const [start, setStart] = useState<Start>(() => (redraws === 0 ? { key: 0, item: 0, part: 0 } : fittingStart()));
  const written = useRef<WrittenRows[]>([]);
  const drawnRedraws = useRef(redraws);
  const onWritten = useRef<(() => void) | null>(null);
  function fittingStart(): Start {
    // The screen was cleared: only the items that fill it are written.
    const all = items.map((item, index) => rowsAt(index, itemRows(item, contentWidth(size)).length));
    return { key: 0, ...startBefore(all, size.rows) };
  }
  useLayoutEffect(() => onWritten.current?.(), [start]);
  useLayoutEffect(() => {
    if (redraws === drawnRedraws.current) return;
    drawnRedraws.current = redraws;
    void screen.redraw(
      (rows) =>
        new Promise((resolve) => {
          onWritten.current = resolve;
          const next = startBefore(written.current, rows);
          setStart(({ key }) => ({ key: key + 1, ...next }));
        }),
    );
  }, [redraws]);
  return { start, written: written.current };
}

function rowsAt(item: number, of: number): WrittenRows {
  return { item, from: 0, to: of, of };
}

/** Removes the last rows from the record. Returns the place where they begin. */
function startBefore(written: WrittenRows[], rows: number): Omit<Start, "key"> {
  let start = { item: (written.at(-1)?.item ?? -1) + 1, part: 0 };
  for (let left = rows; left > 0; ) {
    const last = written.pop();
    if (last === undefined) break;
    const from = Math.max(last.from, last.to - left);
    left -= last.to - last.from;
    if (from > last.from) written.push({ ...last, to: from });
    start = { item: last.item, part: from / Math.max(1, last.of) };
  }
  return start;
}
