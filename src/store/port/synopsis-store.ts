// The port to stored synopses: what an agent's archive says about a user, in two parts with separate lifetimes.
// Invariant: a part is made by one process at a time, and is deleted with any passage that it was made from.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { Trust, Usage } from "../../base/message/message.ts";

/** `identity`: who the user is, which changes rarely. `context`: what concerns the user now. */
export type SynopsisPart = "identity" | "context";

export const synopsisParts: readonly SynopsisPart[] = ["identity", "context"];

/** Who the user is. */
export interface SynopsisIdentity {
  readonly name: string | null;
  readonly preferences: readonly string[];
  readonly traits: readonly string[];
}

/** The user's current concerns. */
export interface SynopsisContext {
  readonly recentTopics: readonly string[];
  readonly currentGoals: readonly string[];
}

export interface SynopsisContents {
  readonly identity: SynopsisIdentity;
  readonly context: SynopsisContext;
}

export const synopsisPartFields = {
  trust: form.choice<Trust>("user", "model", "external"),
  at: form.moment,
  expiresAt: form.moment,
  /** Number of passages of the archive that were not given to the model. */
  leftOut: form.number,
  /** Tokens of the passages from which the part was made, and tokens of the part in the prompt. */
  memoryTokens: form.number,
  tokens: form.number,
  /** The model that wrote the part, and the usage of that call; parts that were made together have one call. */
  model: form.text,
  usage: form.object<Usage>(),
  /** Cost of the model call in US dollars; null if the price was unknown. */
  dollars: form.nullable(form.number),
};

/** A generated part. */
export interface SynopsisRecord extends RecordOf<typeof synopsisPartFields> {
  readonly part: SynopsisPart;
  /** JSON that every reader has to validate. */
  readonly content: unknown;
  /** Ids of the passages from which the part was made, at least one. */
  readonly passages: readonly string[];
}

/** A passage as input of a synopsis. */
export interface SynopsisMemory {
  readonly id: string;
  /** The passage, clipped to the requested length. */
  readonly content: string;
  readonly trust: Trust;
  readonly at: Date;
}

export interface SynopsisMemories {
  /** The passages, most important first, by recency, accesses and given importance; at equal importance, newest first. */
  readonly memories: readonly SynopsisMemory[];
  /** Number of passages in the whole archive. */
  readonly total: number;
}

export interface SynopsisClaim {
  /** Identifies the process that claims the parts. */
  readonly claim: string;
  readonly parts: readonly SynopsisPart[];
  readonly now: Date;
  /** Until this time no other process starts a refresh, unless the user requests one. */
  readonly nextRefreshAt: Date;
  /** True if the user requested the refresh: the claim then fails only while another process is making the part. */
  readonly asked: boolean;
}

/** The stored state of one part, made or not. */
export interface SynopsisState {
  readonly part: SynopsisPart;
  readonly nextRefreshAt: Date;
  /** The generated part; null before it is made, and after a passage from which it was made is deleted. */
  readonly made: SynopsisRecord | null;
}

export interface SynopsisStore {
  /** Returns the stored parts, `identity` first; empty for an agent without any. */
  read(agentId: string): Promise<readonly SynopsisState[]>;
  /** Returns the passages of the agent's own archive for this user. */
  memories(
    agentId: string,
    request: { readonly limit: number; readonly characters: number; readonly now: Date },
  ): Promise<SynopsisMemories>;
  /**
   * Claims parts, and returns those that were claimed: the parts that are due and that no other process is making. Throws
   * RequestError `agent_not_found`.
   */
  claim(agentId: string, claim: SynopsisClaim): Promise<readonly SynopsisPart[]>;
  /**
   * Stores the parts and releases the claim. `outdated`: a passage from which the parts were made is deleted, and
   * nothing was written. `lost`: another process has claimed a part since, or it was cleared, and that part was not
   * written.
   */
  save(agentId: string, claim: string, made: readonly SynopsisRecord[]): Promise<"saved" | "outdated" | "lost">;
  /** Releases the claim; the previous parts are kept. */
  release(agentId: string, claim: string): Promise<void>;
  /** Deletes both parts, and removes them from the snapshots of conversations. Returns how many parts there were. */
  clear(agentId: string): Promise<number>;
  /** Returns whether the snapshot of the conversation's core memory still contains a synopsis. */
  isShown(conversationId: string): Promise<boolean>;
}
