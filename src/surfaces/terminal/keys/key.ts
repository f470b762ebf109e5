// A pressed key, as the chat's handlers receive it beside the typed text.
// Invariant: at most one of the named keys is set; for a typed text, none is.

/** The names and modifiers of a key; absent means false. */
export interface Key {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly leftArrow?: boolean;
  readonly rightArrow?: boolean;
  readonly pageUp?: boolean;
  readonly pageDown?: boolean;
  readonly home?: boolean;
  readonly end?: boolean;
  readonly return?: boolean;
  readonly escape?: boolean;
  readonly tab?: boolean;
  readonly backspace?: boolean;
  readonly delete?: boolean;
  readonly ctrl?: boolean;
  readonly shift?: boolean;
  /** Alt, or another key that terminals call Meta. */
  readonly meta?: boolean;
}
