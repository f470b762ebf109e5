// Aligns the lines of a text before and after a change, and returns the change as rows.
// Invariant: pure; both texts can be read back from the rows.
import { appendAll } from "../../../base/lists.ts";

/** A line of both texts, or of one of them. */
export interface DiffRow {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Above this product of line counts, all lines between the common beginning and end count as replaced. */
const maxCells = 250_000;

/** Returns, for each line of `after`, its index in `before`; -1 for a new one. */
export function alignLines(before: readonly string[], after: readonly string[]): readonly number[] {
  const found = after.map(() => -1);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    found[start] = start;
    start += 1;
  }
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
    found[after.length - end] = before.length - end;
  }
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  for (const [row, column] of commonPairs(old, fresh)) found[start + column] = start + row;
  return found;
}

/** Returns the pairs of indexes of a longest common subsequence. */
function commonPairs(old: readonly string[], fresh: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * fresh.length > maxCells) return [];
  const width = fresh.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    if (old[row] === fresh[column]) {
      pairs.push([row, column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** Returns the lines of a text; an empty text has no line. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** Returns the lines that a change removes and adds, without blank ones. */
export function changedRows(before: string, after: string): readonly DiffRow[] {
  return diffRows(before, after).filter(({ sign, text }) => sign !== " " && text.trim() !== "");
}

/** Returns the lines of both texts, the removed ones before the added ones. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const rows: DiffRow[] = [];
  let next = 0;
  const remove = (until: number): void => {
    for (; next < until; next += 1) rows.push({ sign: "-", text: old[next] ?? "" });
  };
  // Added lines are held back, so that in a replaced run all removals come before the additions.
  let added: string[] = [];
  const flush = (): void => {
    appendAll(
      rows,
      added.map((text) => ({ sign: "+" as const, text })),
    );
    added = [];
  };
  for (const [at, from] of alignLines(old, fresh).entries()) {
    const text = fresh[at] ?? "";
    if (from === -1) {
      added.push(text);
      continue;
    }
    remove(from);
    flush();
    next = from + 1;
    rows.push({ sign: " ", text });
  }
  remove(old.length);
  flush();
  return rows;
}

export interface ChangedSpan {
  readonly text: string;
  readonly isChanged: boolean;
}

/**
 * Returns both lines in spans. The part in the middle where they differ is marked, and begins and ends at the borders of words.
 */
export function changedSpans(before: string, after: string): readonly [readonly ChangedSpan[], readonly ChangedSpan[]] {
  const old = before.match(/\s+|\S+/gu) ?? [];
  const fresh = after.match(/\s+|\S+/gu) ?? [];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  const rest = Math.min(old.length, fresh.length) - start;
  while (end < rest && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const spans = (words: readonly string[]): readonly ChangedSpan[] =>
    [
      { text: words.slice(0, start).join(""), isChanged: false },
      { text: words.slice(start, words.length - end).join(""), isChanged: true },
      { text: words.slice(words.length - end).join(""), isChanged: false },
    ].filter(({ text }) => text !== "");
  return [spans(old), spans(fresh)];
}
