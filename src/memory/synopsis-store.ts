// The port to synopses as they are stored: what an agent's archive says of a user, in two parts with lifetimes of their own.
// Invariant: a part is made by one process at a time, and is gone as soon as a passage that it was made from is.
import type { Trust, Usage } from "../message/message.ts";

/** `identity`: who the user is, which changes seldom. `context`: what concerns the user now. */
export type SynopsisPart = "identity" | "context";

export const synopsisParts: readonly SynopsisPart[] = ["identity", "context"];

/** Who the user is. */
export interface SynopsisIdentity {
  readonly name: string | null;
  readonly preferences: readonly string[];
  readonly traits: readonly string[];
}

/** What concerns the user now. */
export interface SynopsisContext {
  readonly recentTopics: readonly string[];
  readonly currentGoals: readonly string[];
}

export interface SynopsisContents {
  readonly identity: SynopsisIdentity;
  readonly context: SynopsisContext;
}

/** A part as it was made. */
export interface SynopsisRecord {
  readonly part: SynopsisPart;
  /** JSON that whoever reads it has to check. */
  readonly content: unknown;
  readonly trust: Trust;
  readonly madeAt: Date;
  readonly expiresAt: Date;
  /** The ids of the passages that it was made from, one at least. */
  readonly passages: readonly string[];
  /** Passages of the archive that there was no room for. */
  readonly leftOut: number;
  /** Tokens of the passages that it was made from, and of the part as the prompt shows it. */
  readonly memoryTokens: number;
  readonly tokens: number;
  /** What wrote it, and what that call used; parts that were made together have one call. */
  readonly model: string;
  readonly usage: Usage;
  /** Null when the price was not known. */
  readonly dollars: number | null;
}

/** A passage as a synopsis is made from it. */
export interface SynopsisMemory {
  readonly id: string;
  /** Its beginning, if it is longer than was asked for. */
  readonly content: string;
  readonly trust: Trust;
  readonly at: Date;
}

export interface SynopsisMemories {
  /** The most important first, by recency, accesses and what was given; of equals the newer. */
  readonly memories: readonly SynopsisMemory[];
  /** Of the whole archive. */
  readonly total: number;
}

export interface SynopsisClaim {
  /** Names whoever claims. */
  readonly claim: string;
  readonly parts: readonly SynopsisPart[];
  readonly now: Date;
  /** Until then nobody else begins, unless a person asks for it. */
  readonly nextRefreshAt: Date;
  /** A person asks: only who makes it at the moment stands in the way. */
  readonly asked: boolean;
}

/** What is stored for one part, made or not. */
export interface SynopsisState {
  readonly part: SynopsisPart;
  readonly nextRefreshAt: Date;
  /** Null until it is made, and after a deletion. */
  readonly made: SynopsisRecord | null;
}

export interface SynopsisStore {
  /** What there is, `identity` first; nothing for an agent without any. */
  read(agentId: string): Promise<readonly SynopsisState[]>;
  /** What the agent's own archive holds of the user. */
  memories(
    agentId: string,
    request: { readonly limit: number; readonly characters: number; readonly now: Date },
  ): Promise<SynopsisMemories>;
  /** The parts that were claimed: those whose time has come and that nobody else makes. Throws RequestError `agent_not_found`. */
  claim(agentId: string, claim: SynopsisClaim): Promise<readonly SynopsisPart[]>;
  /**
   * Keeps what was made and gives up the claim. `outdated`: a passage that it was made from is gone, and nothing was written.
   * `lost`: of a part that somebody else has claimed since, or that was cleared, nothing was written.
   */
  save(agentId: string, claim: string, made: readonly SynopsisRecord[]): Promise<"saved" | "outdated" | "lost">;
  /** Gives up the claim; what was there before stays. */
  release(agentId: string, claim: string): Promise<void>;
  /** Deletes both parts, also where conversations show them. Returns how many there were. */
  clear(agentId: string): Promise<number>;
  /** Whether the conversation's prompt still shows the synopsis that it was given. */
  isShown(conversationId: string): Promise<boolean>;
}
