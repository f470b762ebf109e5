// The part of the store's port for the files of the sources that are attached to an agent, and which of them are open.
// Invariant: a file that leaves its source, or whose source is detached, is open no more.
import type { SourceLocation } from "./passage-store.ts";

/** A file that is open in an agent's window. */
export interface OpenFile {
  readonly fileId: string;
  /** The first and the last line that are shown, from 1; null: to the end. */
  readonly from: number;
  readonly to: number | null;
  /** When it was last opened. */
  readonly at: Date;
}

/** A file that an agent can search and open. */
export interface AttachedFile {
  readonly id: string;
  readonly sourceId: string;
  readonly sourceName: string;
  /** As citations name it. */
  readonly name: string;
  /** Identifies it in its source. */
  readonly path: string;
  readonly passages: number;
  /** Null if it is not open. */
  readonly open: Omit<OpenFile, "fileId"> | null;
}

/** The part of a file to read. For a file without lines, such as a PDF, all of it is read. */
export interface FileRange {
  readonly id: string;
  /** Lines, from 1. */
  readonly first: number;
  readonly last: number;
}

/** A passage of a file, in the order of the file. */
export interface FilePassage {
  readonly fileId: string;
  readonly content: string;
  readonly place: SourceLocation | null;
  /** The last line of the file; null for a file without lines. */
  readonly lastLine: number | null;
}

/** Lines of a file. */
export interface FileLines {
  /** The number of the first of these lines, from 1. */
  readonly from: number;
  readonly lines: readonly string[];
  /** All lines of the file. */
  readonly total: number;
}

/** The text of an open file. */
export interface OpenFileText extends FileLines {
  readonly id: string;
  /** `source/file`. */
  readonly name: string;
}

/** Some passages of files. */
export interface PassageQuery {
  readonly fileIds: readonly string[];
  /** The id of a passage that the others are behind; null: from the first one. */
  readonly after: string | null;
  readonly limit: number;
}

export interface PlacedPassage extends Omit<FilePassage, "lastLine"> {
  readonly id: string;
}

export interface AttachedFileStore {
  /** Lists the files with passages, by source and path. */
  list(agentId: string): Promise<readonly AttachedFile[]>;
  /** Returns those of the agents that have a file with passages, in one statement. */
  holders(agentIds: readonly string[]): Promise<readonly string[]>;
  /** Returns the passages in these ranges, file after file; for a file without any, one that is empty, for its last line. */
  passages(agentId: string, ranges: readonly FileRange[]): Promise<readonly FilePassage[]>;
  /**
   * Replaces the open files by what `change` returns for the current ones, oldest first. An id that is not a file of an
   * attached source is dropped.
   */
  changeOpen(agentId: string, change: (open: readonly OpenFile[]) => readonly OpenFile[]): Promise<readonly OpenFile[]>;
  /** Returns passages of these files, by their ids. */
  passagesAfter(agentId: string, query: PassageQuery): Promise<readonly PlacedPassage[]>;
}
