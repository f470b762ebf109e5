// What can be named as an embedder.
// Invariant: types only.

/** An embedding model that can be named, with what is known of it before it is loaded. */
export interface EmbedderChoice {
  /** As `--embedding` takes it; `transformers/NAME` stands for all of a folder. */
  readonly name: string;
  /** The width of its vectors, and the tokens of a text that it reads; null: its own files say. */
  readonly dimensions: number | null;
  readonly windowTokens: number | null;
  readonly isRemote: boolean;
  /** What has to be there for it, in words; null for nothing. */
  readonly needs: string | null;
  /** Whether that is there by the settings. */
  readonly isReady: boolean;
  readonly isUsed: boolean;
}
