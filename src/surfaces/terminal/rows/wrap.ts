// Wraps styled text into rows: between words if possible, or else between graphemes.
// Invariant: all text becomes rows here, and loses control sequences; tabs become spaces.
import { stripControl } from "../../../base/terminal-text.ts";
import { rowWidth, type Row, type Span, span, type Tone } from "./row.ts";
import { graphemesOf, graphemeWidth } from "../screen/text-width.ts";

export interface WrapOptions {
  readonly width: number;
  /** The beginning of the first row; the other rows are indented by its width. */
  readonly lead?: Row;
}

interface Cell extends Span {
  readonly width: number;
}

/** Returns a text that is safe for a terminal: without control sequences, with two spaces for tabs and `\n` for line breaks. */
export function screenText(text: string): string {
  return stripControl(text)
    .replaceAll(/[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "  ");
}

/** Returns a text as one line that is safe for a terminal. */
export function flatText(text: string): string {
  return screenText(text).replaceAll(/\s+/gu, " ");
}

/** Wraps spans into rows no wider than `width`; returns at least one row, and one more per line break. */
export function wrapSpans(spans: readonly Span[], options: WrapOptions): readonly Row[] {
  const lead = oneLine(options.lead ?? []);
  const indent: Row = [span(" ".repeat(rowWidth(lead)))];
  const room = Math.max(1, options.width - rowWidth(lead));
  const rows = linesOf(spans).flatMap((line) => wrapLine(line, room));
  return rows.map((cells, index) =>
    [...(index === 0 ? lead : indent), ...mergeCells(cells)].filter((part) => part.text !== ""),
  );
}

/** Wraps a text of one tone. */
export function wrapText(text: string, tone: Tone, options: WrapOptions): readonly Row[] {
  return wrapSpans([span(text, tone)], options);
}

/** Returns the first line of a row, without control characters. */
export function oneLine(row: Row): Row {
  return mergeCells(linesOf(row)[0] ?? []);
}

/** Returns a row cut at a width; `…` marks the cut. */
export function truncateRow(row: Row, width: number): Row {
  const cells = linesOf(row)[0] ?? [];
  const total = cells.reduce((sum, cell) => sum + cell.width, 0);
  if (total <= width) return mergeCells(cells);
  const kept: Cell[] = [];
  let used = 0;
  for (const cell of cells) {
    if (used + cell.width > width - 1) break;
    kept.push(cell);
    used += cell.width;
  }
  return mergeCells([...kept, { text: "…", tone: kept.at(-1)?.tone ?? "plain", width: 1 }]);
}

function linesOf(spans: readonly Span[]): readonly (readonly Cell[])[] {
  const lines: Cell[][] = [[]];
  for (const part of spans) {
    for (const [index, piece] of screenText(part.text).split("\n").entries()) {
      if (index > 0) lines.push([]);
      const texts = graphemesOf(piece).flatMap(splitWideCluster);
      for (const text of texts) lines.at(-1)?.push({ ...part, text, width: graphemeWidth(text) });
    }
  }
  return lines;
}

/** Splits a grapheme wider than two columns, a letter with spacing marks, into its characters, as terminals draw them. */
function splitWideCluster(grapheme: string): readonly string[] {
  return graphemeWidth(grapheme) > 2 ? [...grapheme] : [grapheme];
}

function wrapLine(cells: readonly Cell[], room: number): readonly (readonly Cell[])[] {
  const rows: (readonly Cell[])[] = [];
  let start = 0;
  while (start < cells.length) {
    const end = rowEnd(cells, start, room);
    rows.push(trimEnd(cells.slice(start, end)));
    start = end;
    while (isSpace(cells[start])) start += 1;
  }
  return rows.length === 0 ? [[]] : rows;
}

/** Returns the end of the row that begins at `start`: the last break within `room` columns, or else after them. */
export function rowEnd(cells: readonly Cell[], start: number, room: number): number {
  const end = fitEnd(cells, start, room);
  if (end === cells.length) return end;
  for (let index = end; index > start; index -= 1) {
    // A line does not break within its indentation.
    if (isBreak(cells, index) && !cells.slice(start, index).every(isSpace)) return index;
  }
  return Math.max(end, start + 1);
}

/** Whether a line may break here: at a space, or beside a wide character, because its script has no spaces. */
function isBreak(cells: readonly Cell[], index: number): boolean {
  const [before, after] = [cells[index - 1], cells[index]];
  return isSpace(before) || isSpace(after) || before?.width === 2 || after?.width === 2;
}

function fitEnd(cells: readonly Cell[], start: number, room: number): number {
  let used = 0;
  let end = start;
  for (const cell of cells.slice(start, start + room + 1)) {
    used += cell.width;
    if (used > room) break;
    end += 1;
  }
  return end;
}

function isSpace(cell: Cell | undefined): boolean {
  return cell?.text === " ";
}

function trimEnd(cells: readonly Cell[]): readonly Cell[] {
  let end = cells.length;
  while (end > 0 && isSpace(cells[end - 1])) end -= 1;
  return cells.slice(0, end);
}

function mergeCells(cells: readonly Cell[]): Row {
  const spans: Span[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last?.tone === cell.tone && last.link === cell.link)
      spans[spans.length - 1] = span(last.text + cell.text, last.tone, last.link);
    else spans.push(span(cell.text, cell.tone, cell.link));
  }
  return spans;
}
