// Renders the input line, with the position of the cursor.
// Invariant: at most the given number of rows, and the cursor is always on one of them.
import type { DialogRows, DialogSpace } from "../dialogs/dialog.ts";
import { withLabels } from "../input/folded-paste.ts";
import type { Editor } from "../input/line-editor.ts";
import { span } from "./row.ts";
import type { CursorPosition } from "../screen/frame-diff.ts";
import { graphemesOf, graphemeWidth } from "../screen/text-width.ts";
import { screenText } from "./wrap.ts";

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

/** Breaks lines between words, and within a word that is longer than a line. A space at which a line breaks is not drawn. */
function layOut(editor: Editor, room: number): { readonly lines: readonly string[]; readonly cursor: CursorPosition } {
  const lines: string[][] = [[]];
  let column = 0;
  let offset = 0;
  let cursor: CursorPosition = { x: 0, y: 0 };
  const mark = (): void => {
    if (offset === editor.cursor) cursor = { x: column, y: lines.length - 1 };
  };
  const breakLine = (word: string[] = []): void => {
    lines.push(word);
    column = word.reduce((sum, part) => sum + graphemeWidth(part), 0);
  };
  const wrap = (): void => {
    const line = lines.at(-1) ?? [];
    const from = line.findLastIndex((part) => part === " " || graphemeWidth(part) === 2) + 1;
    const end = column;
    breakLine(from === 0 ? [] : line.splice(from));
    const start = end - column;
    if (cursor.y === lines.length - 2 && cursor.x >= start && column > 0)
      cursor = { x: cursor.x - start, y: cursor.y + 1 };
  };
  // A character may be drawn as several characters, which may not fit on one line.
  const place = (shown: string): void => {
    if (shown === "") mark();
    for (const [index, part] of graphemesOf(shown).entries()) {
      const width = graphemeWidth(part);
      const isOver = column + width > room;
      if (isOver && part === " ") breakLine();
      else if (isOver) wrap();
      if (index === 0) mark();
      if (isOver && part === " ") continue;
      lines.at(-1)?.push(part);
      column += width;
    }
  };
  for (const grapheme of graphemesOf(editor.text)) {
    if (grapheme === "\n") {
      mark();
      breakLine();
    } else place(screenText(withLabels(grapheme, editor.pastes)));
    offset += grapheme.length;
  }
  mark();
  return { lines: lines.map((line) => line.join("")), cursor };
}
