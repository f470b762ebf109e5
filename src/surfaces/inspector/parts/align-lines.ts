// Aligns the lines of a text before and after a change, and returns the change as rows.
// Invariant: pure; both texts can be read back from the rows.
import { compareLines, linesOf } from "../../../base/line-diff.ts";
import { appendAll } from "../../../base/lists.ts";

/** A line of both texts, or of one of them. */
export interface DiffRow {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Returns, for each line of `after`, its index in `before`; -1 for a new one. */
export function alignLines(before: readonly string[], after: readonly string[]): readonly number[] {
  let at = -1;
  return compareLines(before, after).flatMap(({ sign }) => {
    if (sign === "+") return [-1];
    at += 1;
    return sign === "=" ? [at] : [];
  });
}

/** Returns the lines that a change removes and adds, without blank ones. */
export function changedRows(before: string, after: string): readonly DiffRow[] {
  return diffRows(before, after).filter(({ sign, text }) => sign !== " " && text.trim() !== "");
}

/** Returns the lines of both texts, the removed ones before the added ones. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  // Added lines are held back, so that where several lines are replaced, all removals come before the additions.
  let added: DiffRow[] = [];
  for (const { sign, text } of compareLines(linesOf(before), linesOf(after))) {
    if (sign === "+") added.push({ sign, text });
    else if (sign === "-") rows.push({ sign, text });
    else {
      appendAll(rows, added);
      added = [];
      rows.push({ sign: " ", text });
    }
  }
  appendAll(rows, added);
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
