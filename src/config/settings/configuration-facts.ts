// Types of the facts about the files that a configuration was read from.
// Invariant: types only.

export interface FileMetadata {
  readonly path: string;
  /** Permission bits of the file; null where the system has none. */
  readonly mode: number | null;
}

export interface ConfigurationFacts {
  /** The configuration file; null if there is none. */
  readonly file: FileMetadata | null;
  /** Settings whose secret is in the configuration file itself instead of the secrets file. */
  readonly plainKeys: readonly string[];
  /** The secrets file; null if there is none. */
  readonly secrets: FileMetadata | null;
}
