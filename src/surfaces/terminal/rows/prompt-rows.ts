// Renders the input line, with the position of the cursor.
// Invariant: at most the given number of rows, and the cursor is always on one of them.
import type { DialogRows, DialogSpace } from "../dialogs/dialog.ts";
import { withLabels } from "../input/folded-paste.ts";
import type { Editor } from "../input/line-editor.ts";
import { span } from "./row.ts";
import type { CursorPosition } from "../screen/frame-diff.ts";
import { graphemesOf, graphemeWidth } from "../screen/text-width.ts";
import { rowEnd, screenText } from "./wrap.ts";

/** Renders the editor's text wrapped at `width`, scrolled so that the cursor is in view. */
export function promptRows(editor: Editor, size: Pick<DialogSpace, "width" | "max">): Required<DialogRows> {
  const { lines, cursor } = layOut(editor, Math.max(4, size.width - 3));
  const first = Math.max(0, Math.min(cursor.y - size.max + 1, lines.length - size.max));
  const top = Math.max(first, cursor.y - size.max + 1);
  const rows = lines.slice(top, top + size.max).map((line, index) => {
    const isFirst = top + index === 0;
    return [span(isFirst ? "> " : "  ", "accent"), ...(line === "" ? [] : [span(line)])];
  });
  return { rows, cursor: { x: cursor.x + 2, y: cursor.y - top } };
}

/** Breaks lines as `wrapText` does, but draws all spaces except for one at which a line breaks. */
function layOut(
  { text, cursor, pastes }: Editor,
  room: number,
): { readonly lines: readonly string[]; readonly cursor: CursorPosition } {
  const lines: string[] = [];
  let place: CursorPosition | null = null;
  let offset = 0;
  for (const line of text.split("\n")) {
    // A character may be drawn as several characters, which may not fit on one line.
    const cells = graphemesOf(line).flatMap((grapheme) => {
      const at = offset;
      offset += grapheme.length;
      const parts = graphemesOf(screenText(withLabels(grapheme, pastes)));
      return parts.map((part) => ({ ...span(part), width: graphemeWidth(part), at }));
    });
    let start = 0;
    do {
      const end = rowEnd(cells, start, room);
      const row = cells.slice(start, end);
      start = cells[end]?.text === " " ? end + 1 : end;
      const next = row.findIndex(({ at }) => at >= cursor);
      if (place === null && (next !== -1 || (start >= cells.length && cursor <= offset))) {
        const before = row.slice(0, next === -1 ? row.length : next);
        place = { x: before.reduce((sum, { width }) => sum + width, 0), y: lines.length };
      }
      lines.push(row.map((cell) => cell.text).join(""));
    } while (start < cells.length);
    offset += 1;
  }
  return { lines, cursor: place ?? { x: 0, y: 0 } };
}
