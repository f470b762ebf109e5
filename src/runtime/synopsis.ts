// The synopsis of a user: what it says and what it saves.
// Invariant: types only; each operation is of the runtime's user alone.
import type { SynopsisContext, SynopsisIdentity, SynopsisRecord } from "../memory/synopsis-store.ts";

/** A part of a synopsis, with its sources and its cost. */
export interface SynopsisPartView<Content> extends Omit<SynopsisRecord, "part" | "content" | "passages"> {
  readonly content: Content;
  /** Whether its lifetime has ended. */
  readonly isStale: boolean;
  /** How many passages it was made from. */
  readonly memories: number;
}

export interface SynopsisView {
  /** Whether the agent's setting shows it in the prompt. */
  readonly isOn: boolean;
  /** Null when there is none. */
  readonly identity: SynopsisPartView<SynopsisIdentity> | null;
  readonly context: SynopsisPartView<SynopsisContext> | null;
  /** As a prompt shows it; null when there is nothing to show. */
  readonly text: string | null;
  /** Tokens of the text, and of the passages that it summarizes. */
  readonly tokens: number;
  readonly memoryTokens: number;
  /** What the text saves of the memories' tokens, in percent; below 0 when it is longer. Null without a text. */
  readonly savedPercent: number | null;
}

/** A summary of what the agent's archive says about the user: docs/memory.md. */
export interface SynopsisOperations {
  show(agent: string): Promise<SynopsisView>;
  /** Regenerates both parts with one model call. Throws RequestError `synopsis_refused`; the old synopsis stays. */
  refresh(agent: string): Promise<SynopsisView>;
  /** Deletes the synopsis, also from prompts of conversations. Returns how many parts there were. */
  clear(agent: string): Promise<number>;
}
