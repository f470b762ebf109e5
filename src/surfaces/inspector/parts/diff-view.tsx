// Shows the difference between two texts, line by line, and marks the changed words of replaced lines.
import { changedSpans, type ChangedSpan, type DiffRow, diffRows } from "./align-lines.ts";
import { countText } from "./number-text.ts";
import { beginningOf, visibleText } from "./visible-text.ts";

/** Number of unchanged lines that are shown before and after a change. */
const context = 2;
/** Maximum UTF-16 units of a shown line; `maxRows`: maximum number of shown lines. */
const lineLength = 4000;
const maxRows = 400;

interface ShownRow extends DiffRow {
  readonly spans: readonly ChangedSpan[];
}

export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const rows = withSpans(diffRows(before, after));
  const shown = withoutDistant(rows);
  return (
    <div class="diff" role="group" aria-label="Difference">
      {shown.slice(0, maxRows).map((row, at) =>
        typeof row === "number" ? (
          <div key={at} class="diff-gap">
            {countText(row, "unchanged line")}
          </div>
        ) : (
          <Row key={at} row={row} />
        ),
      )}
      {rows.every(({ sign }) => sign === " ") ? <div class="diff-gap">No difference</div> : null}
      {shown.length > maxRows ? <div class="diff-gap">{countText(shown.length - maxRows, "more line")}</div> : null}
    </div>
  );
}

const words = { " ": "unchanged", "-": "removed", "+": "added" } as const;
const classes = { " ": "same", "-": "removed", "+": "added" } as const;

function Row({ row: { sign, spans } }: { readonly row: ShownRow }) {
  return (
    <div class={`diff-row ${classes[sign]}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="off-screen">{words[sign]}: </span>
      <bdi>
        {spans.map(({ text, isChanged }, at) => {
          const shown = visibleText(beginningOf(text, lineLength));
          return isChanged ? <mark key={at}>{shown}</mark> : shown;
        })}
      </bdi>
    </div>
  );
}

/** Marks the changed words where the same number of lines was removed and added. */
function withSpans(rows: readonly DiffRow[]): readonly ShownRow[] {
  const plain = ({ sign, text }: DiffRow): ShownRow => ({ sign, text, spans: [{ text, isChanged: false }] });
  const shown = rows.map(plain);
  for (let at = 0; at < rows.length; at += 1) {
    const removed = runLength(rows, at, "-");
    const added = runLength(rows, at + removed, "+");
    if (removed > 0 && removed === added) {
      for (let line = at; line < at + removed; line += 1) {
        const [old, fresh] = changedSpans(rows[line]?.text ?? "", rows[line + removed]?.text ?? "");
        shown[line] = { ...plain(rows[line]!), spans: old };
        shown[line + removed] = { ...plain(rows[line + removed]!), spans: fresh };
      }
    }
    at += Math.max(0, removed + added - 1);
  }
  return shown;
}

function runLength(rows: readonly DiffRow[], from: number, sign: DiffRow["sign"]): number {
  let length = 0;
  while (rows[from + length]?.sign === sign) length += 1;
  return length;
}

/** Replaces unchanged lines that are far from a change by their number. */
function withoutDistant(rows: readonly ShownRow[]): readonly (ShownRow | number)[] {
  const near = rows.map((_, at) =>
    rows.slice(Math.max(0, at - context), at + context + 1).some(({ sign }) => sign !== " "),
  );
  const shown: (ShownRow | number)[] = [];
  for (const [at, row] of rows.entries()) {
    const last = shown.at(-1);
    if (near[at] === true) shown.push(row);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
