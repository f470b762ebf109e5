// Defines the options and results of loading files into a source, for callers and the file loader.
// Invariant: types only.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { SourceFileStore } from "../store/port/source-store.ts";

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

/** A stream of the web platform, such as the body of a `Response`. */
export interface WebStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | string | undefined }>;
  };
}

/** A `Blob`, or the `File` of an upload. */
export interface BlobLike {
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The content of a file: bytes, text, a stream of bytes or texts, or a Blob. A stream is read once. */
export type SourceContent = Uint8Array | string | AsyncIterable<Uint8Array | string> | WebStream | BlobLike;

/** A file that a program passes instead of a path. */
export interface SourceFileInput {
  /**
   * The name of the file in citations, which identifies it in its source: a relative path such as `handbook/leave.md`. Its
   * extension decides how the file is split; without a known extension it is read as text.
   */
  readonly name: string;
  readonly data: SourceContent;
  /**
   * Whether the file is stored only if the source has no file of this name, not even one stored just now. If there is
   * one, or if the file cannot be read, nothing is stored. Default false: a file of this name is replaced.
   */
  readonly isNew?: boolean;
}

/** A file, a folder or a pattern by its path, or a file with its content. */
export type SourceInput = string | SourceFileInput;

/** The inputs of a load, and where to look for them. */
export interface FileSearch {
  readonly inputs: readonly SourceInput[];
  /** The base folder of relative paths. */
  readonly folder: string;
  /** Whether contents are read as text, even if a name ends with `.pdf`: a program may have extracted the text. */
  readonly areTexts?: boolean;
  readonly signal?: AbortSignal;
}

/** The files found for a load, before any of them is read. */
export interface FoundSource {
  /** The paths of the files to load, which identify them in a source. */
  readonly paths: readonly string[];
  readonly failed: readonly UnloadedFile[];
  readonly skipped: readonly UnloadedFile[];
  /** Loads the files. Throws StoreError and the signal's reason; files loaded before that are kept. */
  load(load: FileLoad): Promise<LoadSummary>;
}

/** Returns the files of the inputs. Inputs that cannot be opened are in `failed`; throws only the signal's reason. */
export type FindSource = (search: FileSearch) => Promise<FoundSource>;

export interface FileLoad {
  readonly sourceId: string;
  readonly chunking: Chunking;
  readonly store: SourceFileStore;
  readonly ids: Ids;
  readonly clock: Pick<Clock, "now">;
  /** Whether files that no longer exist are removed from the source, with their passages. */
  readonly prune: boolean;
  /** Ids of new files by their paths. Default: new ids from `ids`. */
  readonly fileIds?: ReadonlyMap<string, string>;
  readonly onProgress?: (progress: FileProgress) => void;
  /** An abort ends the load; files that were loaded before stay. */
  readonly signal?: AbortSignal;
}

export interface LoadSummary {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Files that could not be read; their passages from an earlier load are kept. */
  readonly failed: readonly UnloadedFile[];
  /** Files that are not loaded: hidden, of an unsupported kind, or too large. */
  readonly skipped: readonly UnloadedFile[];
  /** Paths of files that were loaded before and no longer exist. */
  readonly gone: readonly string[];
  /** How many files of `gone` this load removed from the source; 0 without `prune`. */
  readonly removed: number;
  /** Passages of the added and changed files. */
  readonly passages: number;
}
