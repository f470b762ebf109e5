// Embedders that a user can choose.
// Invariant: types only.

/** An embedding model that a user can choose, with the properties known before it is loaded. */
export interface EmbedderChoice {
  /** The value for `--embedding`; `transformers/NAME` represents all models of a folder. */
  readonly name: string;
  /** Dimensions of its vectors; null: the model's files define them. */
  readonly dimensions: number | null;
  /** Tokens of a text that it reads; null: the model's files define them. */
  readonly windowTokens: number | null;
  readonly isRemote: boolean;
  /** What the model requires, as text; null if nothing. */
  readonly needs: string | null;
  /** Whether the settings meet the requirement. */
  readonly isReady: boolean;
  readonly isUsed: boolean;
}
