// A list dialog with a typed filter and a preview of the selected item.
// Invariant: the selected item always matches the filter and is in view.
import { type Editor, editorCommands, emptyEditor, insertText } from "../input/line-editor.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { type Row, span } from "../rows/row.ts";
import { screenText, truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogKey, DialogRows, DialogSpace, DialogStep } from "./dialog.ts";

export interface Choices<Item> {
  /** The title of the list: `Conversations of sam`. */
  readonly title: string;
  readonly items: readonly Item[];
  /** Returns the text that the filter searches. */
  textOf(item: Item): string;
  rowOf(item: Item, look: { readonly isChosen: boolean; readonly now: Date }): Row;
  /** Loads the preview of the selected item; absent for none. An error replaces the preview. */
  readonly preview?: (item: Item) => Promise<readonly Row[]>;
  /** Remarks below the list, one row each. */
  readonly notes?: readonly string[];
  /** The label of Enter. */
  readonly verb: string;
}

interface ChoiceList<Item> {
  readonly choices: Choices<Item>;
  readonly filter: Editor;
  /** Index among the items that match the filter. */
  readonly chosen: number;
  readonly previews: ReadonlyMap<Item, readonly Row[]>;
}

/** Returns a dialog with the first item selected, whose result is the item accepted by Enter. */
export function choiceList<Item>(choices: Choices<Item>): Dialog<Item> {
  return dialogOf({ choices, filter: emptyEditor, chosen: 0, previews: new Map() });
}

function dialogOf<Item>(list: ChoiceList<Item>): Dialog<Item> {
  const load = loading(list);
  return {
    hints: ["↑ ↓ choose", `Enter ${list.choices.verb}`, "type to filter", "Esc close"],
    draw: (space) => listRows(list, space),
    press: (key) => pressed(list, key),
    ...(load === undefined ? {} : { load }),
  };
}

/** Returns the items that contain every word of the filter, ignoring case. */
function matchesOf<Item>({ choices, filter }: ChoiceList<Item>): readonly Item[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return choices.items;
  return choices.items.filter((item) => {
    const text = choices.textOf(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function loading<Item>(list: ChoiceList<Item>): (() => Promise<Dialog<Item>>) | undefined {
  const { preview } = list.choices;
  const item = matchesOf(list)[list.chosen];
  if (preview === undefined || item === undefined || list.previews.has(item)) return undefined;
  return async () => dialogOf({ ...list, previews: new Map([...list.previews, [item, await preview(item)]]) });
}

const moves: Readonly<Record<string, number>> = {
  down: 1,
  "ctrl+n": 1,
  tab: 1,
  up: -1,
  "ctrl+p": -1,
  "shift+tab": -1,
  pagedown: 10,
  pageup: -10,
};
const edits: Readonly<Record<string, keyof typeof editorCommands>> = {
  backspace: "delete-left",
  "ctrl+w": "delete-word-left",
  "ctrl+u": "delete-to-line-start",
  left: "left",
  right: "right",
  "ctrl+a": "line-start",
  "ctrl+e": "line-end",
};

function pressed<Item>(list: ChoiceList<Item>, { chord, text }: DialogKey): DialogStep<Item> {
  if (chord === "escape") return { type: "close", result: null };
  const matches = matchesOf(list);
  if (chord === "enter") {
    const item = matches[list.chosen];
    return item === undefined ? show(list) : { type: "close", result: item };
  }
  const move = moves[chord];
  if (move !== undefined)
    return show({ ...list, chosen: Math.max(0, Math.min(matches.length - 1, list.chosen + move)) });
  const edit = edits[chord];
  if (edit !== undefined) return show({ ...list, filter: editorCommands[edit](list.filter), chosen: 0 });
  const typed = text.replaceAll(/\s+/g, " ").slice(0, maxPasteLength);
  return typed === "" ? show(list) : show({ ...list, filter: insertText(list.filter, typed), chosen: 0 });
}

/** Maximum UTF-16 units of one paste into the filter. */
const maxPasteLength = 200;

function show<Item>(list: ChoiceList<Item>): DialogStep<Item> {
  return { type: "show", dialog: dialogOf(list) };
}

function listRows<Item>(list: ChoiceList<Item>, { width, max, now }: DialogSpace): DialogRows {
  const { choices, filter, chosen } = list;
  const matches = matchesOf(list);
  const count =
    matches.length === choices.items.length ? `${matches.length}` : `${matches.length} of ${choices.items.length}`;
  const title = truncateRow([span(choices.title, "strong"), span(` · ${count}`, "faint")], width);
  const typed = promptRows(filter, { width, max: 1 });
  if (max < 3) return { rows: typed.rows, cursor: typed.cursor };
  const item = matches[chosen];
  const read = item === undefined ? [] : (list.previews.get(item) ?? []);
  const notes = (choices.notes ?? []).slice(0, Math.max(0, max - 5));
  const room = max - 2 - notes.length;
  const previewRoom = choices.preview === undefined || room < 8 ? 0 : Math.floor(room / 2);
  const shown = around(matches, chosen, room - previewRoom);
  const rows = shown.map(({ item: each, index }) => {
    const isChosen = index === chosen;
    return truncateRow([span(isChosen ? "❯ " : "  ", "accent"), ...choices.rowOf(each, { isChosen, now })], width);
  });
  const none = matches.length === 0 ? [truncateRow([span("  Nothing matches.", "faint")], width)] : [];
  const preview =
    previewRoom === 0 || read.length === 0
      ? []
      : [[], ...read.map((row) => truncateRow(row, width)).slice(-(previewRoom - 1))];
  return {
    rows: [title, ...typed.rows, ...none, ...rows, ...noteRows(notes, width), ...preview],
    cursor: { x: typed.cursor.x, y: 1 },
  };
}

function noteRows(notes: readonly string[], width: number): readonly Row[] {
  return notes.map((note) => truncateRow([span(`  ${screenText(note).replaceAll(/\s+/g, " ")}`, "faint")], width));
}

/** Returns a range of items with the selected item near its middle. */
function around<Item>(
  items: readonly Item[],
  chosen: number,
  max: number,
): readonly { readonly item: Item; readonly index: number }[] {
  const from = Math.max(0, Math.min(chosen - Math.floor(max / 2), items.length - max));
  return items.slice(from, from + max).map((item, offset) => ({ item, index: from + offset }));
}
