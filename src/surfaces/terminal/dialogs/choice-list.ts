// Creates a list dialog with a typed filter and a preview of the selected item.
// Invariant: the selected item always matches the filter and is in view.
import { type Editor, emptyEditor, typedInto } from "../input/line-editor.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { type Row, span } from "../rows/row.ts";
import { flatText, truncateRow } from "../rows/wrap.ts";
import { type Dialog, type DialogRows, type DialogSpace, type DialogStep, lineSteps } from "./dialog.ts";
import type { Key } from "../keys/key-codes.ts";

type Preview = (width: number) => readonly Row[];

export interface Choices<Item, Result = Item> {
  /** The title of the list: `Conversations of sam`. */
  readonly title: string;
  readonly items: readonly Item[];
  /** Index of the item that is selected at first. Default 0. */
  readonly first?: number;
  /** Returns the text that the filter searches; absent for a list without a filter. */
  readonly textOf?: (item: Item) => string;
  /** Whether the first item is on the last row, next to the filter, as in a shell's history search. */
  readonly isUpward?: boolean;
  rowOf(item: Item, look: { readonly isChosen: boolean; readonly now: Date }): Row;
  /** Loads the preview of the selected item: a function that renders the preview at a width. Absent: no preview. */
  readonly preview?: (item: Item) => Promise<Preview>;
  /** Remarks below the list, one row each. */
  readonly notes?: readonly string[];
  /** Hints for the keys that `accept` handles, such as `Enter take`. */
  readonly keys: readonly string[];
  /** Returns what the dialog does after a key on the selected item; null for a key that does not accept the item. */
  accept(item: Item, key: string): DialogStep<Result> | null;
}

/** An `accept` for Enter alone: closes the dialog with the selected item as its result; null for any other key. */
export function acceptByEnter<Item>(item: Item, key: string): DialogStep<Item> | null {
  return key === "enter" ? { type: "close", result: item } : null;
}

interface ChoiceList<Item, Result> {
  readonly choices: Choices<Item, Result>;
  readonly filter: Editor;
  /** Index of the selected item among the items that match the filter. */
  readonly chosen: number;
  readonly previews: ReadonlyMap<Item, Preview>;
}

/** Returns a dialog with a list. `accept` determines its result. */
export function choiceList<Item, Result>(choices: Choices<Item, Result>): Dialog<Result> {
  return dialogOf({ choices, filter: emptyEditor, chosen: choices.first ?? 0, previews: new Map() });
}

function dialogOf<Item, Result>(list: ChoiceList<Item, Result>): Dialog<Result> {
  const load = loading(list);
  const { keys, textOf } = list.choices;
  return {
    hints: ["↑ ↓ choose", ...keys, "Esc close", ...(textOf === undefined ? [] : ["type to filter"])],
    draw: (space) => listRows(list, space),
    press: (key) => pressed(list, key),
    ...(load === undefined ? {} : { load }),
  };
}

/** Returns the items that contain every word of the filter, ignoring case. */
function matchesOf<Item, Result>({ choices, filter }: ChoiceList<Item, Result>): readonly Item[] {
  const { items, textOf } = choices;
  const words = filter.text.toLowerCase().match(/\S+/g) ?? [];
  if (words.length === 0 || textOf === undefined) return items;
  return items.filter((item) => {
    const text = textOf(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function loading<Item, Result>(list: ChoiceList<Item, Result>): (() => Promise<Dialog<Result>>) | undefined {
  const { preview } = list.choices;
  const item = matchesOf(list)[list.chosen];
  if (preview === undefined || item === undefined || list.previews.has(item)) return undefined;
  return async () => dialogOf({ ...list, previews: new Map([...list.previews, [item, await preview(item)]]) });
}

const moves: Readonly<Record<string, number>> = {
  ...lineSteps,
  tab: 1,
  "shift+tab": -1,
  "ctrl+r": -1,
  pagedown: 10,
  pageup: -10,
  home: -1e9,
  end: 1e9,
};
/** Maximum UTF-16 units of one paste into the filter. */
const maxPasteLength = 200;

function pressed<Item, Result>(list: ChoiceList<Item, Result>, { chord, text }: Key): DialogStep<Result> {
  const { choices, filter, chosen } = list;
  if (chord === "escape") return { type: "close", result: null };
  const matches = matchesOf(list);
  const item = matches[chosen];
  const accepted = item === undefined ? null : choices.accept(item, chord === "" ? text : chord);
  if (accepted !== null) return accepted;
  const move = moves[chord];
  if (move !== undefined) {
    const next = chosen + (choices.isUpward === true ? -move : move);
    return show({ ...list, chosen: Math.max(0, Math.min(matches.length - 1, next)) });
  }
  const typed = typedInto(filter, chord, text.replaceAll(/\s+/g, " ").slice(0, maxPasteLength));
  return show(typed === null || choices.textOf === undefined ? list : { ...list, filter: typed, chosen: 0 });
}

function show<Item, Result>(list: ChoiceList<Item, Result>): DialogStep<Result> {
  return { type: "show", dialog: dialogOf(list) };
}

/** Maximum items of an upward list on the screen: more would move the conversation off the screen. */
const maxUpward = 10;

function listRows<Item, Result>(list: ChoiceList<Item, Result>, { width, max, now }: DialogSpace): DialogRows {
  const { choices, filter, chosen } = list;
  const matches = matchesOf(list);
  const count =
    matches.length === choices.items.length ? `${matches.length}` : `${matches.length} of ${choices.items.length}`;
  const title = truncateRow([span(choices.title, "strong"), span(` · ${count}`, "faint")], width);
  const hasFilter = choices.textOf !== undefined;
  const typed = promptRows(filter, { width, max: 1 });
  if (max < 3 && hasFilter) return { rows: typed.rows, cursor: typed.cursor };
  const notes = (choices.notes ?? []).slice(0, Math.max(0, max - 5));
  const room = itemRoom(choices, max - 2 - notes.length);
  const previewRoom = choices.preview === undefined || room < 8 ? 0 : Math.floor(room / 2);
  const shown = around(matches, chosen, room - previewRoom);
  const rows = shown.map(({ item: each, index }) => {
    const isChosen = index === chosen;
    return truncateRow([span(isChosen ? "❯ " : "  ", "accent"), ...choices.rowOf(each, { isChosen, now })], width);
  });
  const none = matches.length === 0 ? [truncateRow([span("  Nothing matches.", "faint")], width)] : [];
  const preview = previewRoom === 0 ? [] : previewRows(list, width).slice(-(previewRoom - 1));
  if (!hasFilter) return { rows: [title, ...rows].slice(-max) };
  const { x } = typed.cursor;
  if (choices.isUpward === true) {
    const above = [title, ...none, ...rows.toReversed()];
    return { rows: [...above, ...typed.rows], cursor: { x, y: above.length } };
  }
  const noted = notes.map((note) => truncateRow([span(`  ${flatText(note)}`, "faint")], width));
  const apart: readonly Row[] = preview.length === 0 ? [] : [[]];
  const below = [...none, ...rows, ...noted, ...apart, ...preview];
  return { rows: [title, ...typed.rows, ...below], cursor: { x, y: 1 } };
}

function itemRoom<Item, Result>({ isUpward }: Choices<Item, Result>, max: number): number {
  return isUpward === true ? Math.min(max, maxUpward) : max;
}

function previewRows<Item, Result>(list: ChoiceList<Item, Result>, width: number): readonly Row[] {
  const item = matchesOf(list)[list.chosen];
  const read = item === undefined ? undefined : list.previews.get(item);
  return read === undefined ? [] : read(width).map((row) => truncateRow(row, width));
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
