// A pressed key, by its name in the key table, or a typed text.
// Invariant: one of `chord` and `text` is empty.

export interface Key {
  /** The name: `enter`, `ctrl+a`, `alt+shift+up`. */
  readonly chord: string;
  /** Typed text of one or several characters. */
  readonly text: string;
}

/** Returns the key with a name. */
export function pressed(chord: string): Key {
  return { chord, text: "" };
}

/** Returns a typed text. */
export function typed(text: string): Key {
  return { chord: "", text };
}
