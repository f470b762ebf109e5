// The port to the embedders of agents: which vectors are searched, which are being built for a switch, and which are kept for
// switching back.
// Invariant: an agent has at most one embedder in each role; an agent with any embedder has a `searched` one.

/** Identifies the vectors of one embedder. */
export interface VectorKind {
  readonly embedder: string;
  readonly dimensions: number;
}

/**
 * Number of the user's forgettings when a text was read; absent for 0. If the number is higher when the text's vector is
 * stored, the vector is discarded.
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

/** Selects the texts that need vectors of an embedder: archives and messages of agents, and the sources attached to them. */
export interface VectorNeed extends VectorKind {
  /** The texts of agents that have the embedder in one of these roles. */
  readonly roles: readonly EmbedderRole[];
  /** Whether to include texts of agents without an embedder of their own, and of sources attached to no agent. */
  readonly isDefault: boolean;
  /** Only texts that these agents search. Default: all agents. */
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
   * Returns the embedder for an agent's queries; undefined: the runtime's. `now`: reads it from the database. `last`:
   * repeats the last answer, if there is one; a search throws OtherEmbedder if the agent's embedder has changed since.
   */
  searched(agentId: string, asOf: "last" | "now"): Promise<VectorKind | undefined>;
  /** Returns the embedders of one agent, or of all. An agent without a row is searched with the runtime's embedder. */
  list(agentId?: string): Promise<readonly AgentEmbedder[]>;
  /**
   * Returns the embedders with which a source is searched: the `searched` and `kept` embedders of the agents to which
   * it is attached.
   */
  ofSource(sourceId: string): Promise<{ readonly kinds: readonly VectorKind[]; readonly usesDefault: boolean }>;
  /** For each of these agents that the user may use, returns how many of its texts lack a vector of the embedder. */
  coverage(kind: VectorKind, agentIds: readonly string[]): Promise<readonly VectorCoverage[]>;
  /**
   * Starts or continues building an embedder's vectors for agents. Skips agents that already search with the embedder.
   * An agent without an embedder gets `otherwise` as its `searched` embedder; the runtime's default no longer applies
   * to it. Returns the agents that build the embedder. Throws RequestError `agent_not_found`, and `reembedding_refused`
   * if an agent builds or keeps another embedder, with nothing started.
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
   * Gives up the agents' kept or building embedder, whose vectors `drop` then deletes. Returns the agents that had such an
   * embedder.
   */
  retire(agentIds: readonly string[], role: "building" | "kept"): Promise<readonly string[]>;
  /**
   * Deletes at most `limit` vectors of retired embedders, except those that another agent needs. `isDone`: no such vector is
   * left, and the retired embedders are removed.
   */
  drop(limit: number): Promise<{ readonly deleted: number; readonly isDone: boolean }>;
}
