// The port to which embedder makes vectors for whom: what an agent is searched by, what is being built beside it, and what is kept.
// Invariant: an agent has at most one embedder in each role; one with any has one that it is searched by.

/** Which vectors: those of one embedder. */
export interface VectorKind {
  readonly embedder: string;
  readonly dimensions: number;
}

/**
 * `searched`: by its vectors queries are answered. `building`: a re-embedding makes them. `kept`: searched before, and given to
 * what is new, so that one can go back. `dropping`: its vectors are being deleted, and nothing gets new ones.
 */
export type EmbedderRole = "searched" | "building" | "kept" | "dropping";

/** An embedder of one agent, for what the user has with it. */
export interface AgentEmbedder extends VectorKind {
  readonly agentId: string;
  readonly role: EmbedderRole;
  /** When it got this role. */
  readonly since: Date;
}

/** Whose texts are to have vectors of an embedder: archives and messages of agents, and the sources attached to them. */
export interface VectorNeed extends VectorKind {
  /** Agents that have it in one of these roles. */
  readonly roles: readonly EmbedderRole[];
  /** Also agents without an embedder of their own, and sources that no agent is attached to. */
  readonly isDefault: boolean;
  /** Of all that, only what these agents search. */
  readonly agentIds?: readonly string[];
}

/** How many of the texts that an agent searches have no vector of an embedder. */
export interface VectorCoverage {
  readonly agentId: string;
  readonly texts: number;
  readonly missing: number;
}

export interface Reembedding {
  readonly agentIds: readonly string[];
  readonly to: VectorKind;
}

/** Agents in the order of their ids. */
export interface EmbedderStore {
  /** Of one agent, or of all. An agent without a row is searched by the runtime's embedder. */
  list(agentId?: string): Promise<readonly AgentEmbedder[]>;
  /** What is searched through a source: the embedders of the agents attached to it, in the roles `searched` and `kept`. */
  ofSource(sourceId: string): Promise<{ readonly kinds: readonly VectorKind[]; readonly usesDefault: boolean }>;
  /** How it stands with the vectors of an embedder, for each of these agents that is the user's to use. */
  coverage(kind: VectorKind, agentIds: readonly string[]): Promise<readonly VectorCoverage[]>;
  /**
   * Begins to build an embedder for agents, or goes on: those that build it already are left as they are, and those that are
   * searched by it already stay out. Who has none yet is searched by `otherwise` from now on, whatever a runtime's default is.
   * Throws RequestError `agent_not_found`, and `reembedding_refused` when another one is being built or kept; then nothing is begun.
   */
  begin(run: Reembedding & { readonly otherwise: VectorKind }): Promise<{ readonly building: readonly string[] }>;
  /**
   * Has the agents searched by what they build, and keeps what they were searched by, in one transaction. Nothing is switched,
   * and `missing` says why, while texts have no vector, but for those in `refused` (ids).
   */
  switch(
    run: Reembedding & { readonly refused: readonly string[] },
  ): Promise<{ readonly switched: readonly string[]; readonly missing: number }>;
  /** Changes `searched` and `kept`, for those of the agents that keep one. Returns these. */
  rollBack(agentIds: readonly string[]): Promise<readonly string[]>;
  /** Gives up what is kept or being built: its vectors are for `drop` to delete. Returns the agents that had any. */
  retire(agentIds: readonly string[], role: "building" | "kept"): Promise<readonly string[]>;
  /**
   * Deletes at most so many vectors of an embedder that was retired, but for those that another agent needs. `isDone`: none is
   * left of any, and nothing remembers it.
   */
  drop(limit: number): Promise<{ readonly deleted: number; readonly isDone: boolean }>;
}
