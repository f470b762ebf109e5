// Writes Markdown tables, aligned like the formatter does it, and items of lists in lines of 120 columns.

/** Returns the lines of a table; the first row is its head. */
export function tableLines(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lineOf = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const [head, ...body] = rows.map(lineOf);
  return [head, lineOf(widths.map((width) => "-".repeat(width))), ...body];
}

/** Returns the lines of an item. A code span is not divided. */
export function itemLines(text) {
  const lines = ["-"];
  for (const [word] of text.matchAll(/(?:`[^`]*`|[^\s`])+/gu)) {
    if (lines.at(-1).length + 1 + word.length <= 120) lines.push(`${lines.pop()} ${word}`);
    else lines.push(`  ${word}`);
  }
  return lines;
}
