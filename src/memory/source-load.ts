// Options and results of loading files into a source, shared by callers and the file loader.
// Invariant: types only.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { SourceFileStore } from "./source-store.ts";

/** How texts are cut into passages. */
export interface Chunking {
  /** Maximum tokens per passage; the embedding model reads no more. */
  readonly maxTokens: number;
  /** Maximum tokens at the end of a passage that are repeated at the beginning of the next one in its section. */
  readonly overlapTokens: number;
  /** Counts with the embedding model's tokenizer, or overestimates. */
  countTokens(text: string): number;
}

/** A file or folder that was not loaded, and why. */
export interface UnloadedFile {
  readonly name: string;
  readonly reason: string;
}

/** Progress, reported after each file. */
export interface FileProgress {
  readonly filesDone: number;
  readonly files: number;
  readonly bytesDone: number;
  readonly bytes: number;
  /** The file that was just processed. */
  readonly name: string;
}

export interface FileLoad {
  readonly sourceId: string;
  /** Files, folders and patterns. */
  readonly inputs: readonly string[];
  /** The base folder of relative names. */
  readonly folder: string;
  readonly store: SourceFileStore;
  readonly ids: Ids;
  readonly clock: Pick<Clock, "now">;
  readonly chunking: Chunking;
  /** Removes files that no longer exist, with their passages. */
  readonly prune: boolean;
  readonly onProgress?: (progress: FileProgress) => void;
  /** Checked before each file. */
  readonly signal?: AbortSignal;
}

export interface LoadSummary {
  /** Number of files. */
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Files that could not be read; their passages from an earlier load are kept. */
  readonly failed: readonly UnloadedFile[];
  /** Files that are not loaded: hidden, of an unsupported kind, or too large. */
  readonly skipped: readonly UnloadedFile[];
  /** Paths of files that were loaded before and no longer exist. */
  readonly gone: readonly string[];
  /** Number of those that were removed. */
  readonly removed: number;
  /** Passages of the added and changed files. */
  readonly passages: number;
}

/** Throws StoreError and the signal's reason; files loaded before that are kept. */
export type LoadFiles = (load: FileLoad) => Promise<LoadSummary>;
