// Renders a Markdown table as rows: columns side by side if the width allows it, or else one field per row.
// Invariant: no row is wider than the width, and no text of a cell is omitted.
import { largest } from "../../../base/lists.ts";
import type { Tokens } from "marked";
import { type Row, rowWidth, type Span, span, type Tone } from "../rows/row.ts";
import { widthOf } from "../screen/text-width.ts";
import { wrapSpans } from "../rows/wrap.ts";
import { continuationMark } from "./continuation-mark.ts";
import { inlineSpans } from "./inline-spans.ts";

const separator = span(" │ ", "faint");
const minColumnWidth = 4;

/** Renders the table. A header that begins with the continuation mark is omitted, because it was drawn above. */
export function tableRows(table: Tokens.Table, { width, tone }: { readonly width: number; readonly tone: Tone }) {
  const header = table.header.map((cell) => inlineSpans(cell.tokens, "strong"));
  const rows = table.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens, tone)));
  const isContinued = isContinuedTable(table);
  const available = width - separator.text.length * (header.length - 1);
  if (available < minColumnWidth * header.length)
    return rows.flatMap((row, index) => fieldRows(header, row, { width, index }));
  const widths = fitWidths(columnWidths(table), available);
  const draw = (cells: readonly (readonly Span[])[]): readonly Row[] =>
    sideBySide(cells, { widths, align: table.align });
  const rule: Row = [span(widths.map((columns) => "─".repeat(columns)).join("─┼─"), "faint")];
  return [...(isContinued ? [] : [...draw(header), rule]), ...rows.flatMap(draw)];
}

/** Returns the preferred width of each column. The first part of a table fixes the widths of the parts that continue it. */
export function columnWidths(table: Tokens.Table): readonly number[] {
  if (isContinuedTable(table)) return fixedWidths(table);
  return table.header.map((cell, column) => {
    const below = table.rows.map((row) => row[column]?.tokens ?? []);
    return largest(
      [cell.tokens, ...below].map((tokens) => rowWidth(inlineSpans(tokens, "plain"))),
      1,
    );
  });
}

/** Returns the head of a table, marked as already drawn: the rest of the table is parsed with it and gets the same widths. */
export function continuedHead(table: Tokens.Table): string {
  const [first = ""] = table.raw.split("\n");
  const marked = isContinuedTable(table)
    ? first
    : first.replace(/^ {0,3}\|?/, (start) => `${start}${continuationMark}`);
  const rule = columnWidths(table).map((columns, column) => {
    const align = table.align[column];
    const dashes = "-".repeat(columns);
    return `${align === "left" || align === "center" ? ":" : ""}${dashes}${align === "right" || align === "center" ? ":" : ""}`;
  });
  return `${marked}\n|${rule.join("|")}|\n`;
}

function isContinuedTable(table: Tokens.Table): boolean {
  return table.header[0]?.text.startsWith(continuationMark) === true;
}

function fixedWidths(table: Tokens.Table): readonly number[] {
  const rule = table.raw.split("\n")[1] ?? "";
  const columns = rule.split("|").filter((part) => part.includes("-"));
  return columns.map((part) => part.replaceAll(":", "").length);
}

/** Returns the widths, limited to a common maximum that makes them fit. */
function fitWidths(wanted: readonly number[], available: number): readonly number[] {
  let limit = largest(wanted);
  const total = (): number => wanted.reduce((sum, columns) => sum + Math.min(columns, limit), 0);
  while (limit > 1 && total() > available) limit -= 1;
  return wanted.map((columns) => Math.min(columns, limit));
}

function sideBySide(
  cells: readonly (readonly Span[])[],
  { widths, align }: { readonly widths: readonly number[]; readonly align: Tokens.Table["align"] },
): readonly Row[] {
  const columns = widths.map((width, column) => wrapSpans(cells[column] ?? [], { width }));
  const height = largest(columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, line) =>
    columns.flatMap((rows, column): Row => {
      const cell = rows[line] ?? [];
      const isLast = column === columns.length - 1;
      const padded = pad(cell, { room: widths[column] ?? 0, align: align[column] ?? "left", isLast });
      return column === 0 ? padded : [separator, ...padded];
    }),
  );
}

function pad(
  cell: Row,
  {
    room,
    align,
    isLast,
  }: { readonly room: number; readonly align: "left" | "right" | "center"; readonly isLast: boolean },
): Row {
  const free = Math.max(0, room - rowWidth(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [span(" ".repeat(before)), ...cell, span(" ".repeat(after))].filter((part) => part.text !== "");
}

function fieldRows(
  header: readonly (readonly Span[])[],
  row: readonly (readonly Span[])[],
  { width, index }: { readonly width: number; readonly index: number },
): readonly Row[] {
  const fields = row.flatMap((cell, column) =>
    wrapSpans([...(header[column] ?? []), span(": ", "faint"), ...cell], { width }),
  );
  return index === 0 ? fields : [[span("─".repeat(Math.min(width, widthOf("────"))), "faint")], ...fields];
}
