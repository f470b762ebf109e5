// Writes a Markdown table, aligned like the formatter does it.

/** Returns the lines of a table; the first row is its head. */
export function tableLines(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lineOf = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const [head, ...body] = rows.map(lineOf);
  return [head, lineOf(widths.map((width) => "-".repeat(width))), ...body];
}
