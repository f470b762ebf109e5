// Describes the embedders that a user can choose.
// Invariant: types only.

/** An embedding model that a user can choose, with the properties known before it is loaded. */
export interface EmbedderChoice {
  /** The value of the flag `--embedding`; `transformers/NAME` represents all models of a folder. */
  readonly name: string;
  /** The number of dimensions of its vectors; null if only the model's files define it. */
  readonly dimensions: number | null;
  /** Maximum tokens of a text that the model reads; null if only the model's files define it. */
  readonly windowTokens: number | null;
  readonly isRemote: boolean;
  /** What the user must set up for the model, as text; null if nothing. */
  readonly needs: string | null;
  /** Whether everything that `needs` names is set up. */
  readonly isReady: boolean;
  readonly isUsed: boolean;
}
