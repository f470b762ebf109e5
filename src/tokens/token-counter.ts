// The port to token counting: how much of a model's window a text takes.
// Invariant: counting never throws for any string, takes time linear in its length, and is 0 only for "".

import type { FilePart } from "../message/file-part.ts";

export interface TokenCounter {
  /** Tokens of the text by itself, without what a message adds around it. */
  count(text: string): number;
  /**
   * Loads what counting needs. That blocks the event loop for a second or more, so it is called where nothing waits for this
   * process; the first count does it otherwise.
   */
  prepare(): void;
  /** Whether this is the model's own tokenizer; otherwise an estimate that errs on the high side. */
  readonly exact: boolean;
  /** Tokens of a file as the model is sent it, or of the note in its place. */
  countFile(file: FilePart): number;
}
