// Ctrl+R: finds an earlier input, newest first.
// Invariant: the list does not change during a search, and contains each input once.
import { span } from "../rows/row.ts";
import { screenText } from "../rows/wrap.ts";
import { acceptByEnter, choiceList } from "./choice-list.ts";
import type { Dialog } from "./dialog.ts";

/** Maximum UTF-16 units of an input that are drawn, which is more than one row shows. */
const shownLength = 400;

/** Returns a dialog whose result is the chosen input. `inputs`: oldest first. The newest is next to the typed text. */
export function historySearch(inputs: readonly string[]): Dialog<string> {
  return choiceList({
    title: "Earlier inputs",
    items: [...new Set(inputs.toReversed())],
    textOf: (input) => input,
    isUpward: true,
    rowOf: (input, { isChosen }) => [
      span(screenText(input.slice(0, shownLength).replaceAll(/\s+/gu, " ")), isChosen ? "strong" : "plain"),
    ],
    keys: ["Enter take"],
    accept: acceptByEnter,
  });
}
