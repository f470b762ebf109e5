// Compares two texts line by line, and returns the lines that a change removed and added.
// Invariant: applying these removals and additions turns the old text into the new one.

export interface LineChange {
  readonly sign: "+" | "-";
  readonly text: string;
}

/** One line of a comparison; the sign `=` means that both texts have it. */
export interface ComparedLine {
  readonly sign: LineChange["sign"] | "=";
  readonly text: string;
}

/** Returns the lines of a text; an empty text has none. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** Returns the changed lines in order; a replaced line is a removal followed by an addition. */
export function diffLines(before: string, after: string): readonly LineChange[] {
  const isChange = (line: ComparedLine): line is LineChange => line.sign !== "=";
  return compareLines(linesOf(before), linesOf(after)).filter(isChange);
}

/** Returns the changed lines as text, each after `- ` or `+ `; null if no line changed. */
export function changedLines(before: string, after: string): string | null {
  const changes = diffLines(before, after);
  return changes.length === 0 ? null : changes.map(({ sign, text }) => `${sign} ${text}`).join("\n");
}

/** Returns all lines of both texts in order, each common line once. */
export function compareLines(old: readonly string[], fresh: readonly string[]): readonly ComparedLine[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...signed("=", old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...signed("=", old.slice(old.length - end)),
  ];
}

// Finds the longest common subsequence of lines. The time is quadratic, but short for the dozens of lines of a module. If
// the table would have over 250,000 cells, all lines count as replaced.
function compareMiddle(old: readonly string[], fresh: readonly string[]): readonly ComparedLine[] {
  if (old.length * fresh.length > 250_000) return [...signed("-", old), ...signed("+", fresh)];
  const lengths = commonLengths(old, fresh);
  const lines: ComparedLine[] = [];
  let row = 0;
  let column = 0;
  const nextSign = (): ComparedLine["sign"] => {
    if (column >= fresh.length) return "-";
    if (row >= old.length) return "+";
    if (old[row] === fresh[column]) return "=";
    return lengthAt(lengths, row + 1, column) >= lengthAt(lengths, row, column + 1) ? "-" : "+";
  };
  while (row < old.length || column < fresh.length) {
    const sign = nextSign();
    lines.push({ sign, text: (sign === "+" ? fresh[column] : old[row]) ?? "" });
    if (sign !== "+") row += 1;
    if (sign !== "-") column += 1;
  }
  return lines;
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

function signed<Sign extends ComparedLine["sign"]>(sign: Sign, lines: readonly string[]) {
  return lines.map((text) => ({ sign, text }));
}
