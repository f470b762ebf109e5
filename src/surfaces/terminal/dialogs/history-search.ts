// Ctrl+R: finds an earlier input by a substring, newest first.
// Invariant: pure; the list does not change during a search, and contains each input once.
import { fitted } from "../rows/status-rows.ts";
import { type Row, span } from "../rows/row.ts";
import { graphemesOf, widthOf } from "../screen/text-width.ts";
import { screenText, truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogKey, DialogSpace, DialogStep } from "./dialog.ts";

const maxShown = 10;
/** Maximum UTF-16 units of an input that are drawn, which is more than one row shows. */
const shownLength = 400;

interface Search {
  /** The inputs, newest first. */
  readonly inputs: readonly string[];
  readonly query: string;
  readonly chosen: number;
}

/** Returns a dialog whose result is the chosen input. `inputs`: oldest first. */
export function historySearch(inputs: readonly string[]): Dialog<string> {
  return searchDialog({ inputs: [...new Set(inputs.toReversed())], query: "", chosen: 0 });
}

function searchDialog(search: Search): Dialog<string> {
  const found = matches(search);
  const chosen = Math.min(search.chosen, Math.max(0, found.length - 1));
  const shown = { ...search, chosen };
  return {
    hints: ["Enter take", "Up, Down or Ctrl+R choose", "Esc close"],
    draw: (space) => draw(shown, found, space),
    press: (key) => press(shown, found, key),
  };
}

function matches({ inputs, query }: Search): readonly string[] {
  const wanted = query.toLowerCase();
  return wanted === "" ? inputs : inputs.filter((input) => input.toLowerCase().includes(wanted));
}

const moves: Readonly<Record<string, number>> = { up: 1, "ctrl+r": 1, "ctrl+p": 1, down: -1, "ctrl+n": -1 };

function press(search: Search, found: readonly string[], { chord, text }: DialogKey): DialogStep<string> {
  const { query, chosen } = search;
  const show = (change: Partial<Search>): DialogStep<string> => ({
    type: "show",
    dialog: searchDialog({ ...search, ...change }),
  });
  if (chord === "escape" || chord === "ctrl+g") return { type: "close", result: null };
  if (chord === "enter" || chord === "tab") {
    const input = found[chosen];
    return input === undefined ? show({}) : { type: "close", result: input };
  }
  if (chord === "backspace") return show({ query: graphemesOf(query).slice(0, -1).join(""), chosen: 0 });
  if (chord === "ctrl+u") return show({ query: "", chosen: 0 });
  const move = moves[chord];
  if (move !== undefined) return show({ chosen: Math.max(0, Math.min(found.length - 1, chosen + move)) });
  return show(chord === "" ? { query: query + text.replaceAll(/\s+/gu, " "), chosen: 0 } : {});
}

/** Draws the found inputs with the newest at the bottom, next to the typed text, as in a shell. */
function draw({ query, chosen }: Search, found: readonly string[], { width, max }: DialogSpace) {
  const room = Math.max(0, Math.min(maxShown, max - 1));
  const first = Math.max(0, chosen - room + 1);
  const rows = found.slice(first, first + room).map((input, index): Row => {
    const isChosen = first + index === chosen;
    const line = screenText(input.slice(0, shownLength).replaceAll(/\s+/gu, " "));
    return truncateRow([span(isChosen ? "› " : "  ", "accent"), span(line, isChosen ? "strong" : "plain")], width);
  });
  const label = "search: ";
  const typed = screenText(query);
  const count = found.length === 0 ? "  no matching input" : `  ${found.length.toLocaleString("en")} found`;
  const prompt = truncateRow([span(label, "accent"), span(typed)], width);
  const rest = width - widthOf(label) - widthOf(typed);
  const countSpans = rest > count.length ? fitted([count], rest) : [];
  const x = Math.min(width - 1, widthOf(label) + widthOf(typed));
  return { rows: [...rows.toReversed(), [...prompt, ...countSpans]], cursor: { x, y: rows.length } };
}
