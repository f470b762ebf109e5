// The port to the embedders of agents: the embedder whose vectors are searched, the one being built, and kept ones.
// Invariant: an agent has at most one embedder in each role; an agent with any embedder has a `searched` one.

/** Identifies the vectors of one embedder. */
export interface VectorKind {
  readonly embedder: string;
  readonly dimensions: number;
}

/**
 * The number of forgettings before a text was read; absent if there were none. The text's vector is not stored if the number
 * has grown since.
 */
export interface TextVersion {
  readonly forgettings?: number;
}

/**
 * `searched`: queries use the embedder's vectors. `building`: a re-embedding is making them. `kept`: was searched before and
 * still receives vectors of new texts, so that a switch back is possible. `dropping`: its vectors are being deleted, and no new
 * ones are made.
 */
export type EmbedderRole = "searched" | "building" | "kept" | "dropping";

/** An embedder of one agent, for one user's data. */
export interface AgentEmbedder extends VectorKind {
  readonly agentId: string;
  readonly role: EmbedderRole;
  /** When the embedder got this role. */
  readonly since: Date;
}

/** The texts that need vectors of an embedder: archives and messages of agents, and the sources attached to them. */
export interface VectorNeed extends VectorKind {
  /** Agents that have the embedder in one of these roles. */
  readonly roles: readonly EmbedderRole[];
  /** Whether to include agents without their own embedder, and sources that are attached to no agent. */
  readonly isDefault: boolean;
  /** Restricts the texts to those that these agents search. */
  readonly agentIds?: readonly string[];
}

/** How many of the texts that an agent searches lack a vector of an embedder. */
export interface VectorCoverage {
  readonly agentId: string;
  readonly texts: number;
  readonly missing: number;
}

export interface Reembedding {
  readonly agentIds: readonly string[];
  readonly to: VectorKind;
}

/** Embedders of agents; results are ordered by agent id. */
export interface EmbedderStore {
  /**
   * Returns the embedder of an agent's queries; undefined: the runtime's. `last`: the embedder that was read last, so
   * that most searches need no read. A search throws OtherEmbedder if the embedder is not the current one.
   */
  searched(agentId: string, asOf: "last" | "now"): Promise<VectorKind | undefined>;
  /** Returns the embedders of one agent, or of all. An agent without a row is searched with the runtime's embedder. */
  list(agentId?: string): Promise<readonly AgentEmbedder[]>;
  /**
   * Returns the embedders with which a source is searched: the `searched` and `kept` embedders of the agents to which
   * it is attached.
   */
  ofSource(sourceId: string): Promise<{ readonly kinds: readonly VectorKind[]; readonly usesDefault: boolean }>;
  /** Returns the vector coverage of an embedder for each of these agents that the user may use. */
  coverage(kind: VectorKind, agentIds: readonly string[]): Promise<readonly VectorCoverage[]>;
  /**
   * Starts building an embedder for agents, or continues: agents that already build it are unchanged, and those that already
   * search with it are skipped. Agents without an embedder get `otherwise` as `searched`, whatever a runtime's default is.
   * Returns the agents that build it. Throws RequestError `agent_not_found`, and `reembedding_refused` if another embedder is
   * being built or kept, with nothing started.
   */
  begin(run: Reembedding & { readonly otherwise: VectorKind }): Promise<{ readonly building: readonly string[] }>;
  /**
   * Switches the agents to the embedder they are building and keeps the previous one, in one transaction. Switches nothing
   * while texts other than `refused` (ids) lack a vector; `missing` is the number of these texts.
   */
  switch(
    run: Reembedding & { readonly refused: readonly string[] },
  ): Promise<{ readonly switched: readonly string[]; readonly missing: number }>;
  /** Swaps the `searched` and the `kept` embedder of each agent that has a kept one. Returns these agents' ids. */
  rollBack(agentIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Abandons the kept or building embedder and leaves its vectors for `drop` to delete. Returns the agents that had such an
   * embedder.
   */
  retire(agentIds: readonly string[], role: "building" | "kept"): Promise<readonly string[]>;
  /**
   * Deletes at most `limit` vectors of retired embedders, except those that another agent needs. `isDone`: no such vector is
   * left, and the retired rows are deleted.
   */
  drop(limit: number): Promise<{ readonly deleted: number; readonly isDone: boolean }>;
}
