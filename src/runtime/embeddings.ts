// Embedders of agents: going over to another, and back.
// Invariant: types only; each operation is of the runtime's user alone.
import type {
  AgentEmbeddings,
  DropVectorsOptions,
  DropVectorsResult,
  ReembedOptions,
  ReembedResult,
} from "../memory/vectors/reembedding.ts";

/**
 * The embedders that agents are searched with. Agents are named by name or id; none means all. Each function throws
 * RequestError `reembedding_refused` when the current state does not allow it, with nothing changed.
 */
export interface EmbeddingOperations {
  list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /**
   * Makes the vectors of another embedder while searches use the current ones, then switches in one transaction and keeps the
   * old vectors. A run that ended early is continued by the next one with the same embedder. New texts get both kinds of
   * vectors meanwhile. Waits out an outage of the embedder. Throws ConfigError for an unknown embedder or other dimensions
   * than given, EmbeddingError when the first call fails, RequestError `input_invalid` for numbers out of range, and the
   * signal's reason; vectors that were made stay.
   */
  reembed(options: ReembedOptions): Promise<ReembedResult>;
  /** Switches back to the kept vectors at once, and keeps the current ones. Can be repeated. */
  rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /** Deletes the kept vectors that no other agent uses. This cannot be undone. */
  dropOld(options?: DropVectorsOptions): Promise<DropVectorsResult>;
  /** Cancels the re-embedding in progress and deletes its vectors. */
  abandon(options?: DropVectorsOptions): Promise<DropVectorsResult>;
}
