// The port to token counting: how many tokens of a model's window a text takes.

import type { FilePart } from "../../base/message/file-part.ts";

export interface TokenCounter {
  /** Returns the tokens of the text alone, without a message's overhead. */
  count(text: string): number;
  /**
   * Loads what counting needs. This blocks the event loop for a second or more, so call it when nothing waits for this
   * process; otherwise the first count does it.
   */
  prepare(): void;
  /** Whether this is the model's own tokenizer; otherwise it is an overestimate. */
  readonly exact: boolean;
  /** Returns the tokens of a file as it is sent to the model, or of the note that replaces it. */
  countFile(file: FilePart): number;
}
