// Computes the lines that a change removed from a text and added to it.
// Invariant: applying these removals and additions turns the old text into the new one.

export interface LineChange {
  readonly sign: "+" | "-";
  readonly text: string;
}

/** Returns the changed lines in order; a replaced line is a removal followed by an addition. */
export function diffLines(before: string, after: string): readonly LineChange[] {
  const old = before === "" ? [] : before.split("\n");
  const fresh = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
}

/** Returns the changed lines as text, each after `- ` or `+ `; null if no line changed. */
export function changedLines(before: string, after: string): string | null {
  const changes = diffLines(before, after);
  return changes.length === 0 ? null : changes.map(({ sign, text }) => `${sign} ${text}`).join("\n");
}

// Finds the longest common subsequence. This is quadratic, but cheap for the dozens of lines of a module. Above 250,000 cells,
// all lines are replaced.
function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly LineChange[] {
  if (old.length * fresh.length > 250_000) return [...signed("-", old), ...signed("+", fresh)];
  const lengths = commonLengths(old, fresh);
  const changes: LineChange[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      row += 1;
      column += 1;
    } else if (
      column >= fresh.length ||
      (row < old.length && lengthAt(lengths, row + 1, column) >= lengthAt(lengths, row, column + 1))
    ) {
      changes.push({ sign: "-", text: old[row] ?? "" });
      row += 1;
    } else {
      changes.push({ sign: "+", text: fresh[column] ?? "" });
      column += 1;
    }
  }
  return changes;
}

function commonLengths(old: readonly string[], fresh: readonly string[]): readonly (readonly number[])[] {
  const lengths: number[][] = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: fresh.length + 1 }, () => 0),
  );
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const current = lengths[row] ?? [];
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const isCommon = old[row] === fresh[column];
      current[column] = isCommon
        ? lengthAt(lengths, row + 1, column + 1) + 1
        : Math.max(lengthAt(lengths, row + 1, column), lengthAt(lengths, row, column + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly (readonly number[])[], row: number, column: number): number {
  return lengths[row]?.[column] ?? 0;
}

function signed(sign: "+" | "-", lines: readonly string[]): readonly LineChange[] {
  return lines.map((text) => ({ sign, text }));
}
