// A value of a setting with the place that it was found in.
// Invariant: a value that may not be shown says so, wherever it goes.

/** Where a value comes from: `name` is a key of the file, a variable of the environment, or a flag. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file" | "environment" | "flag"; readonly name: string };

export interface Found {
  readonly value: unknown;
  /** The place, as messages name it. */
  readonly label: string;
  readonly from: Origin;
  /** It came through a secret. */
  readonly isSecret: boolean;
}
