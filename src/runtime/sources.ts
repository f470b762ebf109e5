// Sources: files that agents can search.
// Invariant: types only; each operation is of the runtime's user alone.
import type { FileProgress, LoadSummary } from "../memory/source-load.ts";
import type { SourceFileRecord, SourceRecord } from "../memory/source-store.ts";

export interface LoadOptions {
  readonly description?: string;
  /** Forget files of earlier loads that are gone, with their passages. */
  readonly prune?: boolean;
  /** Where names that are not absolute begin; default the process's own folder. */
  readonly folder?: string;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

/** First the files are read, then vectors are made of their passages; a search finds them by their words before that. */
export type LoadProgress =
  | (FileProgress & { readonly phase: "files" })
  | { readonly phase: "vectors"; readonly passagesDone: number; readonly passages: number };

export interface SourceLoadResult extends LoadSummary {
  readonly source: SourceRecord;
  /** Vectors that were made, and passages that still have none: the embedder failed, or there is none. */
  readonly vectors: { readonly made: number; readonly missing: number };
}

/** Named collections of files, by name or id. Every function throws RequestError `source_not_found` for an unknown one. */
export interface SourceOperations {
  /**
   * Loads files, folders and patterns into a source, which is made if there is none of that name. Only what is new or has
   * changed is read; a file that cannot be is told in the summary. Throws RequestError `input_invalid` for a bad name, and
   * the signal's reason; what was loaded until then stays, and the next load goes on from there.
   */
  load(source: string, inputs: readonly string[], options?: LoadOptions): Promise<SourceLoadResult>;
  list(): Promise<readonly SourceRecord[]>;
  show(source: string): Promise<SourceRecord>;
  /** What was loaded into it, by path. */
  files(source: string): Promise<readonly SourceFileRecord[]>;
  /**
   * Gives it another name; agents go on searching it. Throws RequestError `input_invalid` for a bad name and `source_exists`
   * for one that another source has; then nothing is changed.
   */
  rename(source: string, name: string): Promise<SourceRecord>;
  /** Deletes it with its passages, for every agent. */
  delete(source: string): Promise<void>;
  /** Lets an agent search it; copies nothing. False when it did already. */
  attach(agent: string, source: string): Promise<boolean>;
  /** False when it was not attached. */
  detach(agent: string, source: string): Promise<boolean>;
}
