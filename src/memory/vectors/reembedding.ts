// A re-embedding as it is asked for and told, and how it stands with the embedders of agents.
// Invariant: types only.
import type { VectorKind } from "../embedder-store.ts";

export interface ReembedOptions {
  /** The embedder to go over to, as in the configuration: `openai/text-embedding-3-small`. */
  readonly to: string;
  /** Agents by name or id; default all that there are now. */
  readonly agents?: readonly string[];
  /** What the vectors of all these agents are now, in dimensions, and what they are to be. Not given: whatever they are. */
  readonly fromDimensions?: number;
  readonly toDimensions?: number;
  /** Texts per call of the embedder, 1 to 2048; default 32. */
  readonly batch?: number;
  /** Texts per second, at most; default as many as it makes. */
  readonly ratePerSecond?: number;
  readonly onProgress?: (progress: ReembedProgress) => void;
  readonly signal?: AbortSignal;
}

/** Told after each call of the embedder. */
export interface ReembedProgress {
  /** Texts that were asked for since this run began. */
  readonly done: number;
  /** Those, and those that have no vector yet. */
  readonly texts: number;
}

export interface ReembedResult {
  readonly to: VectorKind;
  /** Names of the agents that are searched by it from now on. */
  readonly agents: readonly string[];
  /** Names of those that were before. */
  readonly already: readonly string[];
  /** Vectors that this run made, and texts that the embedder refuses: these are found by their words alone. */
  readonly made: number;
  readonly refused: number;
}

/** An embedder of an agent, and of the texts that the agent searches how many have a vector of it. */
export interface EmbeddingState extends VectorKind {
  /** Null for the runtime's default, which the agent does not have as its own. */
  readonly since: Date | null;
  readonly texts: number;
  readonly missing: number;
}

export interface AgentEmbeddings {
  readonly agent: { readonly id: string; readonly name: string };
  /** Null where no vectors are made. */
  readonly searched: EmbeddingState | null;
  readonly building: EmbeddingState | null;
  readonly kept: EmbeddingState | null;
  /** Given up, with vectors that are still to be deleted. */
  readonly dropping: readonly EmbeddingState[];
}

export interface DropVectorsOptions {
  readonly agents?: readonly string[];
  readonly onProgress?: (progress: { readonly deleted: number }) => void;
  readonly signal?: AbortSignal;
}

export interface DropVectorsResult {
  /** Names of the agents that have given something up. */
  readonly agents: readonly string[];
  /** Vectors. */
  readonly deleted: number;
}
