// The port to token counting: how much of a model's window a text takes.
// Invariant: counting never throws for any string, takes time linear in its length, and is 0 only for "".

export interface TokenCounter {
  /** Tokens of the text by itself, without what a message adds around it. */
  count(text: string): number;
  /** Whether this is the model's own tokenizer; otherwise an estimate that errs on the high side. */
  readonly exact: boolean;
}
