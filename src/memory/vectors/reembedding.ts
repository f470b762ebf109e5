// Options, progress and results of a re-embedding, and the state of agents' embedders.
// Invariant: types only.
import type { VectorKind } from "../../store/port/embedder-store.ts";

export interface ReembedOptions {
  /** The new embedder, as in the configuration: `openai/text-embedding-3-small`. */
  readonly to: string;
  /** Agents by name or id; default all existing agents. */
  readonly agents?: readonly string[];
  /** Expected dimensions of these agents' current and new vectors. Absent: not checked. */
  readonly fromDimensions?: number;
  readonly toDimensions?: number;
  /** Texts per call of the embedder, 1 to 2048; default 128. */
  readonly batch?: number;
  /** Maximum texts per second; default no limit. */
  readonly ratePerSecond?: number;
  readonly onProgress?: (progress: ReembedProgress) => void;
  readonly signal?: AbortSignal;
}

/** Progress, reported after each call of the embedder. */
export interface ReembedProgress {
  /** Texts processed since this run began. */
  readonly done: number;
  /** The processed texts and those that have no vector yet. */
  readonly texts: number;
}

export interface ReembedResult {
  readonly to: VectorKind;
  /** Names of the agents that this run switched to the embedder. */
  readonly agents: readonly string[];
  /** Names of the agents that used it before. */
  readonly already: readonly string[];
  /** Vectors that this run made, and texts that the embedder refused: searches find these by words only. */
  readonly made: number;
  readonly refused: number;
}

/** An agent's embedder, with the number of texts that the agent searches and how many of them have its vector. */
export interface EmbeddingState extends VectorKind {
  /** Null for the runtime's default, which has no row for the agent. */
  readonly since: Date | null;
  readonly texts: number;
  readonly missing: number;
}

export interface AgentEmbeddings {
  readonly agent: { readonly id: string; readonly name: string };
  /** Null if no vectors are made. */
  readonly searched: EmbeddingState | null;
  readonly building: EmbeddingState | null;
  readonly kept: EmbeddingState | null;
  /** Abandoned embedders with vectors that are still to be deleted. */
  readonly dropping: readonly EmbeddingState[];
}

export interface DropVectorsOptions {
  readonly agents?: readonly string[];
  readonly onProgress?: (progress: { readonly deleted: number }) => void;
  readonly signal?: AbortSignal;
}

export interface DropVectorsResult {
  /** Names of the agents whose embedders were abandoned. */
  readonly agents: readonly string[];
  /** Number of vectors. */
  readonly deleted: number;
}
