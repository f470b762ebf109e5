// The history of inputs for Up and Down.
// Invariant: browsing does not change the entries, and the unsent draft is shown again after the newest entry.

export interface InputHistory {
  /** The inputs, oldest first. */
  readonly entries: readonly string[];
  /** The index of the shown entry; null for the draft. */
  readonly position: number | null;
  readonly draft: string;
}

/** Creates a history from earlier inputs, oldest first. */
export function historyOf(entries: readonly string[]): InputHistory {
  return entries.reduce(rememberInput, { entries: [], position: null, draft: "" });
}

/** Returns the history with the input added and an empty draft. An input that repeats the last one is not added. */
export function rememberInput(history: InputHistory, text: string): InputHistory {
  const entries = text === "" || history.entries.at(-1) === text ? history.entries : [...history.entries, text];
  return { entries, position: null, draft: "" };
}

/** Returns the history one entry back or forth, with its text; null if there is no such entry. */
export function recallInput(
  history: InputHistory,
  shown: string,
  direction: "back" | "forth",
): { readonly history: InputHistory; readonly text: string } | null {
  const { entries, position } = history;
  if (direction === "forth" && position === null) return null;
  const draft = position === null ? shown : history.draft;
  const target = (position ?? entries.length) + (direction === "back" ? -1 : 1);
  if (target < 0) return null;
  const text = entries[target];
  if (text === undefined) return { history: { entries, position: null, draft: "" }, text: draft };
  return { history: { entries, position: target, draft }, text };
}
