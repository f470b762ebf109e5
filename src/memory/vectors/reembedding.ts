// Defines the options, progress and results of a re-embedding, and the state of agents' embedders.
// Invariant: tables and types only.
import { callback, signal } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";

const vectorKind = { embedder: form.text, dimensions: form.ordinal };

/** Agents by name or id; default all existing agents. */
const agents = form.texts;

export const reembedOptions = {
  /** The new embedder, as in the configuration: `openai/text-embedding-3-small`. */
  to: form.text,
  agents,
  /** Required dimensions of the agents' current and new vectors: with any others, the call is refused. Default: any. */
  fromDimensions: form.number,
  toDimensions: form.number,
  /** Texts per call of the embedder, 1 to 2048; default 128. */
  batch: form.number,
  /** Maximum texts per second; default no limit. */
  ratePerSecond: form.number,
};
export const ownReembedOptions = {
  onProgress: form.program<(progress: ReembedProgress) => void>(callback),
  signal: form.program<AbortSignal>(signal),
};

export interface ReembedOptions extends OptionsOf<typeof reembedOptions & typeof ownReembedOptions, "to"> {}

/** Progress, reported after each call of the embedder. */
export interface ReembedProgress {
  /** Number of texts processed since this run began. */
  readonly done: number;
  /** Number of processed texts plus those that have no vector yet. */
  readonly texts: number;
}

export const reembedResultFields = {
  to: form.record(vectorKind),
  /** Names of the agents that this run switched to the embedder. */
  agents: form.texts,
  /** Names of the agents that already used the new embedder. */
  already: form.texts,
  /** Number of vectors that this run made, and of texts that the embedder refused: searches find these by words only. */
  made: form.ordinal,
  refused: form.ordinal,
};

export interface ReembedResult extends RecordOf<typeof reembedResultFields> {}

const stateFields = {
  ...vectorKind,
  /** When the agent began to use the embedder; null for the runtime's default, which has no row for the agent. */
  since: form.nullable(form.moment),
  texts: form.ordinal,
  missing: form.ordinal,
};

/** An agent's embedder, with the number of texts that the agent searches and how many of them lack its vector. */
export interface EmbeddingState extends RecordOf<typeof stateFields> {}

export const agentEmbeddingsFields = {
  agent: form.record({ id: form.id, name: form.text }),
  /** Null if no vectors are made. */
  searched: form.nullable(form.record(stateFields)),
  building: form.nullable(form.record(stateFields)),
  kept: form.nullable(form.record(stateFields)),
  /** Abandoned embedders with vectors that are still to be deleted. */
  dropping: form.records(stateFields),
};

export interface AgentEmbeddings extends RecordOf<typeof agentEmbeddingsFields> {}

export const dropOptions = { agents };
export const ownDropOptions = {
  onProgress: form.program<(progress: { readonly deleted: number }) => void>(callback),
  signal: form.program<AbortSignal>(signal),
};

export interface DropVectorsOptions extends OptionsOf<typeof dropOptions & typeof ownDropOptions> {}

export const dropResultFields = {
  /** Names of the agents whose embedders were abandoned. */
  agents: form.texts,
  /** Number of deleted vectors. */
  deleted: form.ordinal,
};

export interface DropVectorsResult extends RecordOf<typeof dropResultFields> {}
