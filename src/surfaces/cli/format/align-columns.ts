// Plain tables: columns side by side, as wide as their longest cell.
import { largest } from "../../../base/lists.ts";
import { codePointLength } from "../../../base/code-points.ts";
import { stripControl } from "../../../base/terminal-text.ts";

/** Rows of cells as lines, two spaces between columns; line breaks in cells become spaces. The first row is the heading. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => stripControl(cell).replace(/\s*\n\s*/gu, " ")));
  const widths = (cells[0] ?? []).map((_, column) => largest(cells.map((row) => codePointLength(row[column] ?? ""))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(width - codePointLength(cell));
}
