// The value of a setting with its source.
// Invariant: `isSecret` accompanies a value that must not be shown.

/** The source of a value: `name` is a key of the file, an environment variable, or a flag. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file" | "environment" | "flag"; readonly name: string };

export interface Found {
  readonly value: unknown;
  /** The source, as messages name it. */
  readonly label: string;
  readonly from: Origin;
  /** Whether the value contains a secret. */
  readonly isSecret: boolean;
}
