// The part of the store's port that keeps sources: named collections of files as passages, and which agents search them.
// Invariant: the passages of a file are replaced as a whole, so a load that was cut off leaves no file half loaded.

/** What a reader can open. */
export type SourceFileKind = "text" | "markdown" | "html" | "pdf" | "json-lines" | "code";

/** Where a passage stands, so that an answer can cite it. */
export interface PlaceInFile {
  /** The file's name as it is shown: its path from the folder that was loaded on. */
  readonly file: string;
  /** From 1. */
  readonly page?: number;
  /** The headings above it, the outermost first: `Guide > Install`. */
  readonly heading?: string;
  /** Lines of the file, from 1, both included. */
  readonly lineFrom?: number;
  readonly lineTo?: number;
}

export interface SourcePassage {
  readonly content: string;
  readonly place: PlaceInFile;
}

/** A file as it is loaded into a source. */
export interface LoadedFile {
  /** Absolute, with `/` between its parts: by it a file is known again. */
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  /** Of the content, in hexadecimal digits. */
  readonly sha256: string;
  readonly passages: readonly SourcePassage[];
}

/** A file that could not be read. Its passages of an earlier load stay. */
export interface FailedFile {
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  readonly sha256: string;
  /** Why, in words for a person, without any of the file's text. */
  readonly reason: string;
}

export interface SourceFileRecord {
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  readonly sha256: string;
  readonly passages: number;
  readonly status: "loaded" | "failed";
  /** Null for a loaded file. */
  readonly reason: string | null;
  readonly loadedAt: Date;
}

/** What a load needs to know and to write. */
export interface SourceFileStore {
  files(sourceId: string): Promise<readonly SourceFileRecord[]>;
  /** Replaces what was known of the file, with its passages, in one transaction. Returns how many passages it has now. */
  replaceFile(sourceId: string, file: LoadedFile): Promise<number>;
  /** Notes the failure. */
  failFile(sourceId: string, file: FailedFile): Promise<void>;
  /** Forgets files with their passages. Returns how many files those were. */
  removeFiles(sourceId: string, paths: readonly string[]): Promise<number>;
}
