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
 * By which embedders agents are searched. Agents by name or id, all where none are named. Each function throws RequestError
 * `reembedding_refused` when what stands does not allow it; then nothing has changed.
 */
export interface EmbeddingOperations {
  list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /**
   * Makes vectors of another embedder beside those that are searched, then switches in one transaction; what was searched is
   * kept. A run that ended early is gone on with by the next of the same embedder. What is new gets both meanwhile. An outage
   * is waited out. Throws ConfigError for an unknown embedder or another width than was said, EmbeddingError when it does not
   * work at the start, RequestError `input_invalid` for numbers out of range, and the signal's reason: what was made stays.
   */
  reembed(options: ReembedOptions): Promise<ReembedResult>;
  /** Goes back to what is kept, at once, and keeps what was searched. It can be done as often as one likes. */
  rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /** Deletes what is kept, but for what other agents use. There is no way back then. */
  dropOld(options?: DropVectorsOptions): Promise<DropVectorsResult>;
  /** Gives up what is being built, and deletes it. */
  abandon(options?: DropVectorsOptions): Promise<DropVectorsResult>;
}
