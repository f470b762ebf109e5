// What a load of files into a source is asked for, and what it tells: between whoever asks and whoever reads files.
// Invariant: types only.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { SourceFileStore } from "./source-store.ts";

/** How texts are cut into passages. */
export interface Chunking {
  /** Tokens that a passage may have: the embedding model reads no more. */
  readonly maxTokens: number;
  /** Tokens at the end of a passage that the next one of its section begins with, at most. */
  readonly overlapTokens: number;
  /** By the embedding model's tokenizer, or an estimate on the high side. */
  countTokens(text: string): number;
}

/** A file or folder that was not loaded, and why. */
export interface UnloadedFile {
  readonly name: string;
  readonly reason: string;
}

/** Told after each file. */
export interface FileProgress {
  readonly filesDone: number;
  readonly files: number;
  readonly bytesDone: number;
  readonly bytes: number;
  /** The file that is done. */
  readonly name: string;
}

export interface FileLoad {
  readonly sourceId: string;
  /** Files, folders and patterns. */
  readonly inputs: readonly string[];
  /** Where names that are not absolute begin. */
  readonly folder: string;
  readonly store: SourceFileStore;
  readonly ids: Ids;
  readonly clock: Pick<Clock, "now">;
  readonly chunking: Chunking;
  /** Forget files that are gone, with their passages. */
  readonly prune: boolean;
  readonly onProgress?: (progress: FileProgress) => void;
  /** Looked at before each file. */
  readonly signal?: AbortSignal;
}

export interface LoadSummary {
  /** Files. */
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** They could not be read; what was loaded of them before stays. */
  readonly failed: readonly UnloadedFile[];
  /** They are no files to load: hidden, of a kind that is not read, too large. */
  readonly skipped: readonly UnloadedFile[];
  /** Paths of files that were loaded once and are gone. */
  readonly gone: readonly string[];
  /** How many of those were forgotten. */
  readonly removed: number;
  /** Passages of the files that were added or changed. */
  readonly passages: number;
}

/** Throws StoreError and the signal's reason; what was loaded until then stays. */
export type LoadFiles = (load: FileLoad) => Promise<LoadSummary>;
