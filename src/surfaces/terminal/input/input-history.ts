// Holds the history of inputs, through which the keys Up and Down move.
// Invariant: browsing does not change the entries, and the unsent draft is shown again after the newest entry.

export interface InputHistory {
  /** The inputs, oldest first. */
  readonly entries: readonly string[];
  /** The index of the shown entry; null for the draft. */
  readonly position: number | null;
  readonly draft: string;
  /** The entries that were cleared or replaced, and not sent. */
  readonly unsent: readonly string[];
}

/** Creates a history from earlier inputs and, after them, the texts of `unsent` that are not among them; oldest first. */
export function historyOf(inputs: readonly string[], unsent: readonly string[] = []): InputHistory {
  const kept = unsent.filter((text) => !inputs.includes(text));
  return [...inputs, ...kept].reduce(rememberInput, { entries: [], position: null, draft: "", unsent: kept });
}

/** Returns the history with the input added, after the draft if there is one. An input that repeats the last one is not added. */
export function rememberInput(history: InputHistory, text: string): InputHistory {
  const { entries, unsent } = history.draft === "" ? history : rememberDraft({ ...history, draft: "" }, history.draft);
  const added = text === "" || entries.at(-1) === text ? entries : [...entries, text];
  return { entries: added, position: null, draft: "", unsent };
}

/** Returns the history with an unsent text added, which the user has cleared or replaced. */
export function rememberDraft(history: InputHistory, text: string): InputHistory {
  const remembered = rememberInput(history, text);
  return { ...remembered, unsent: [...remembered.unsent, text] };
}

/** Moves one entry back or forth. Returns the history and the text to show; null if there is no such entry. */
export function recallInput(
  history: InputHistory,
  shown: string,
  direction: "back" | "forth",
): { readonly history: InputHistory; readonly text: string } | null {
  const { entries, position, unsent } = history;
  if (direction === "forth" && position === null) return null;
  const draft = position === null ? shown : history.draft;
  const target = (position ?? entries.length) + (direction === "back" ? -1 : 1);
  if (target < 0) return null;
  const text = entries[target];
  if (text === undefined) return { history: { entries, position: null, draft: "", unsent }, text: draft };
  return { history: { entries, position: target, draft, unsent }, text };
}
