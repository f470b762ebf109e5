// Operations that switch agents to another embedder, and back.
// Invariant: types only; each operation acts for the runtime's user only.
import type {
  AgentEmbeddings,
  DropVectorsOptions,
  DropVectorsResult,
  ReembedOptions,
  ReembedResult,
} from "../memory/vectors/reembedding.ts";

/**
 * Operations on the embedders of agents. `agents` contains names or ids; without it, all agents are meant. Each function
 * throws RequestError `reembedding_refused` if the current state does not allow it; nothing is changed then.
 */
export interface EmbeddingOperations {
  /** Returns which embedders the agents have; default: all agents. */
  list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /**
   * Makes the vectors of another embedder while searches use the current ones, then switches in one transaction and keeps the
   * old vectors. Continues a previous run with the same embedder that did not finish. New texts get both kinds of vectors
   * meanwhile. Waits during an outage of the embedder. Throws ConfigError for an unknown embedder or for dimensions that
   * differ from the given ones, EmbeddingError if the first call fails, RequestError `input_invalid` for numbers out of
   * range, and the signal's reason; vectors that were made stay.
   */
  reembed(options: ReembedOptions): Promise<ReembedResult>;
  /** Switches back to the kept vectors immediately, and keeps the current ones. Can be repeated. */
  rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /** Deletes the kept vectors that no other agent uses. This cannot be undone. */
  dropOld(options?: DropVectorsOptions): Promise<DropVectorsResult>;
  /** Cancels the re-embedding in progress and deletes its vectors. */
  abandon(options?: DropVectorsOptions): Promise<DropVectorsResult>;
}
