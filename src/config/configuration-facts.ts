// What is known of the files that a configuration was read from.
// Invariant: types only.

export interface FileMetadata {
  readonly path: string;
  /** Permission bits; null where the system has none. */
  readonly mode: number | null;
}

export interface ConfigurationFacts {
  /** Null when there is no configuration file. */
  readonly file: FileMetadata | null;
  /** Settings whose secret stands in the file itself, and not in the file of secrets. */
  readonly plainKeys: readonly string[];
  /** The file of secrets; null when there is none. */
  readonly secrets: FileMetadata | null;
}
