// Operations on the synopsis of a user, with its cost in tokens.
// Invariant: types only; each operation acts for the runtime's user only.
import type { SynopsisContext, SynopsisIdentity, SynopsisRecord } from "../store/port/synopsis-store.ts";

/** A part of a synopsis, with its sources and its cost. */
export interface SynopsisPartView<Content> extends Omit<SynopsisRecord, "part" | "content" | "passages"> {
  readonly content: Content;
  /** Whether its lifetime has expired. */
  readonly isStale: boolean;
  /** Number of passages that it was made from. */
  readonly memories: number;
}

export interface SynopsisView {
  /** Whether the agent's settings include it in the prompt. */
  readonly isOn: boolean;
  /** Null if there is none. */
  readonly identity: SynopsisPartView<SynopsisIdentity> | null;
  readonly context: SynopsisPartView<SynopsisContext> | null;
  /** The text as included in a prompt; null if there is no synopsis. */
  readonly text: string | null;
  /** Tokens of the text, and of the passages that it summarizes. */
  readonly tokens: number;
  readonly memoryTokens: number;
  /** Tokens saved compared with `memoryTokens`, in percent; negative if the text is longer. Null without a text. */
  readonly savedPercent: number | null;
}

/** A summary of the facts about the user in the agent's archive: docs/memory.md. */
export interface SynopsisOperations {
  /** Returns the synopsis of an agent as it is stored. */
  show(agent: string): Promise<SynopsisView>;
  /** Regenerates both parts with one model call. Throws RequestError `synopsis_refused`; the old synopsis stays. */
  refresh(agent: string): Promise<SynopsisView>;
  /** Deletes the synopsis, also from the prompts of conversations. Returns the number of deleted parts. */
  clear(agent: string): Promise<number>;
}
