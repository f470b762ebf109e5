// The synopsis of a user: what it says and what it saves.
// Invariant: types only; each operation is of the runtime's user alone.
import type { SynopsisContext, SynopsisIdentity, SynopsisRecord } from "../memory/synopsis-store.ts";

/** A part of a synopsis, with what it was made from and what that took. */
export interface SynopsisPartView<Content> extends Omit<SynopsisRecord, "part" | "content" | "passages"> {
  readonly content: Content;
  /** Its lifetime is over. */
  readonly isStale: boolean;
  /** Passages that it was made from. */
  readonly memories: number;
}

export interface SynopsisView {
  /** Whether the agent's setting lets it stand in the prompt. */
  readonly isOn: boolean;
  /** Null when there is none. */
  readonly identity: SynopsisPartView<SynopsisIdentity> | null;
  readonly context: SynopsisPartView<SynopsisContext> | null;
  /** As a prompt shows it; null when there is nothing to show. */
  readonly text: string | null;
  /** Tokens of the text, and of the memories that it stands for. */
  readonly tokens: number;
  readonly memoryTokens: number;
  /** What the text saves of the memories' tokens, in percent; below 0 when it is longer. Null without a text. */
  readonly savedPercent: number | null;
}

/** What the agent's archive says of the user, in short: docs/memory.md. */
export interface SynopsisOperations {
  show(agent: string): Promise<SynopsisView>;
  /** Makes both parts now, by one model call. Throws RequestError `synopsis_refused`; then the old one stays. */
  refresh(agent: string): Promise<SynopsisView>;
  /** Deletes it, also where conversations show it. Returns how many parts there were. */
  clear(agent: string): Promise<number>;
}
