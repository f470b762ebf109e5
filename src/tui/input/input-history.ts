// What was sent before, to go through with Up and Down.
// Invariant: entries never change while one goes through them, and the unsent draft comes back at the end.

export interface InputHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** The entry that is shown; null when it is the draft. */
  readonly position: number | null;
  readonly draft: string;
}

/** A history of earlier inputs, oldest first. */
export function historyOf(entries: readonly string[]): InputHistory {
  return entries.reduce(rememberInput, { entries: [], position: null, draft: "" });
}

/** Adds an input, and goes back to an empty draft; the same input twice in a row is kept once. */
export function rememberInput(history: InputHistory, text: string): InputHistory {
  const entries = text === "" || history.entries.at(-1) === text ? history.entries : [...history.entries, text];
  return { entries, position: null, draft: "" };
}

/** One entry back or forth from the text shown now; null when there is none. */
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
