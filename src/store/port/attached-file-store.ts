// The part of the store's port for the files that an agent can open: those of the sources that are attached to it.
// Invariant: a file is closed when it leaves its source or its source is detached.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { SourceLocation } from "./passage-store.ts";

const openFields = {
  /** The first and the last line that are shown, from 1; the last is null if all lines to the end are shown. */
  from: form.ordinal,
  to: form.nullable(form.ordinal),
  /** When the file was last opened. */
  at: form.moment,
};

/** A file that is open in an agent's window. */
export interface OpenFile extends RecordOf<typeof openFields> {
  readonly fileId: string;
}

/** A file that an agent can search and open. */
export const attachedFileFields = {
  id: form.id,
  sourceId: form.id,
  sourceName: form.text,
  /** The name that citations use. */
  name: form.text,
  /** Identifies the file in its source. */
  path: form.text,
  passages: form.ordinal,
  /** The open lines, and when they were opened; null if the file is not open. */
  open: form.nullable(form.record(openFields)),
};

export interface AttachedFile extends RecordOf<typeof attachedFileFields> {}

/** The part of a file to read. A file without lines, such as a PDF, is read completely. */
export interface FileRange {
  readonly id: string;
  /** Numbers of the first and the last line to read, from 1. */
  readonly first: number;
  readonly last: number;
}

/** A passage of a file. Passages are listed in their order in the file. */
export interface FilePassage {
  readonly fileId: string;
  readonly content: string;
  readonly place: SourceLocation | null;
  /** The last line of the file; null for a file without lines. */
  readonly lastLine: number | null;
}

const fileLineFields = {
  /** The number of the first line in `lines`, from 1. */
  from: form.ordinal,
  lines: form.texts,
  /** Number of all lines of the file. */
  total: form.ordinal,
};

/** Lines of a file. */
export interface FileLines extends RecordOf<typeof fileLineFields> {}

/** The text of an open file. */
export const openFileTextFields = {
  ...fileLineFields,
  id: form.id,
  /** The name of the file as `source/file`. */
  name: form.text,
};

export interface OpenFileText extends RecordOf<typeof openFileTextFields> {}

/** Selects passages of files. */
export interface PassageQuery {
  readonly fileIds: readonly string[];
  /** Only passages after the one with this id; null: from the first one. */
  readonly after: string | null;
  readonly limit: number;
}

export interface PlacedPassage extends Omit<FilePassage, "lastLine"> {
  readonly id: string;
}

export interface AttachedFileStore {
  /** Lists the files with passages, by source and path. */
  list(agentId: string): Promise<readonly AttachedFile[]>;
  /** Returns, in one statement, the ids of the given agents that can search at least one file with passages. */
  holders(agentIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns the passages in these ranges, file by file. For a file without passages in its range, returns one empty passage
   * that has the number of the file's last line.
   */
  passages(agentId: string, ranges: readonly FileRange[]): Promise<readonly FilePassage[]>;
  /**
   * Replaces the open files by those that `change` returns for the current ones (oldest first). Returns the files that are
   * then open; ids that are not files of attached sources are dropped.
   */
  changeOpen(agentId: string, change: (open: readonly OpenFile[]) => readonly OpenFile[]): Promise<readonly OpenFile[]>;
  /** Returns passages of these files, ordered by id. */
  passagesAfter(agentId: string, query: PassageQuery): Promise<readonly PlacedPassage[]>;
}
