// Operations on sources: collections of files that agents can search.
// Invariant: types only; each operation acts for the runtime's user only.
import type { FileProgress, LoadSummary, SourceInput } from "../memory/source-load.ts";
import type { AddedPassage, PassageRecord } from "../store/port/passage-store.ts";
import type { SourceDetails, SourceFileRecord, SourceRecord } from "../store/port/source-store.ts";
import type { ArchivalAddOptions, PassageListOptions } from "./archival.ts";
import type { AttachedFile, OpenFileText } from "../store/port/attached-file-store.ts";

export interface LoadOptions {
  readonly description?: string;
  /** Removes files of earlier loads that no longer exist, with their passages. */
  readonly prune?: boolean;
  /** The folder that relative paths start from; default: the current folder of the process. */
  readonly folder?: string;
  /** Called after each file. */
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

/** A load reads all files, then makes the vectors of their passages. Until then, a search finds passages by their words. */
export type LoadProgress =
  | (FileProgress & { readonly phase: "files" })
  | { readonly phase: "vectors"; readonly passagesDone: number; readonly passages: number };

export interface SourceLoadResult extends LoadSummary {
  readonly source: SourceRecord;
  /** Number of new vectors, and of passages without one because the embedder failed or there is none. */
  readonly vectors: { readonly made: number; readonly missing: number };
}

/** What describes a source. */
export type SourceDetailOptions = Partial<SourceDetails>;

export interface SourceChange extends SourceDetailOptions {
  readonly name?: string;
}

/** Lines of a file, from 1; default: all. */
export interface OpenLines {
  readonly from?: number;
  readonly to?: number;
}

/** Named collections of files and passages, by name or id. Every function throws RequestError `source_not_found` for an unknown one. */
export interface SourceOperations {
  /**
   * Loads files, folders and patterns by their paths, and files with their content (`{ name, data }`: bytes, text, a stream
   * or a Blob) into a source, and creates the source if needed. Stores only files that are new or changed. The result lists
   * files that cannot be read. Throws RequestError `source_file_unreadable` if there is nothing to load, and `input_invalid`
   * for an invalid name; nothing is written then. Throws the signal's reason; files that were loaded stay, and the next load
   * continues from there.
   */
  load(source: string, inputs: readonly SourceInput[], options?: LoadOptions): Promise<SourceLoadResult>;
  /** Returns the user's sources. */
  list(): Promise<readonly SourceRecord[]>;
  /** Creates an empty source. Throws RequestError `input_invalid` for an invalid name, and `source_exists`. */
  create(name: string, options?: SourceDetailOptions): Promise<SourceRecord>;
  /** Returns a source. */
  show(source: string): Promise<SourceRecord>;
  /** Returns the files of a source, by path. */
  files(source: string): Promise<readonly SourceFileRecord[]>;
  /** Removes a file with its passages, by the path that the source lists. Returns false if it has no such file. */
  removeFile(source: string, path: string): Promise<boolean>;
  /**
   * Changes the name and what describes a source; agents stay attached. Throws RequestError `input_invalid` for an invalid
   * name and `source_exists` for a name in use; nothing is changed then.
   */
  update(source: string, change: SourceChange): Promise<SourceRecord>;
  /** Returns a page of the passages of a source, of files or not; the next one is `after` the id of the last passage. */
  passages(source: string, options?: PassageListOptions): Promise<readonly PassageRecord[]>;
  /**
   * Stores a passage that belongs to no file, unless the source has the same text already. Throws RequestError
   * `input_invalid` for a blank text.
   */
  add(source: string, text: string, options?: ArchivalAddOptions): Promise<AddedPassage>;
  /** Replaces the tags of a passage, each once. Returns false if the source has none with that id. */
  setPassageTags(source: string, passageId: string, tags: readonly string[]): Promise<boolean>;
  /** Deletes a passage. Returns false if the source has none with that id. */
  deletePassage(source: string, passageId: string): Promise<boolean>;
  /** Deletes a source with its passages, for every agent. */
  delete(source: string): Promise<void>;
  /** Attaches a source to an agent without copying anything. Returns false if it was attached already. */
  attach(agent: string, source: string): Promise<boolean>;
  /** Returns the files of the sources that are attached to an agent, by source and path; `open`: the lines in its window. */
  attachedFiles(agent: string): Promise<readonly AttachedFile[]>;
  /**
   * Opens a file in an agent's window, as the agent itself does with `open_files`. At most five are open: the one that was
   * opened first is closed. Returns the ids of closed files. Throws RequestError `source_not_found`, or `input_invalid` for lines
   * that it lacks.
   */
  openFile(agent: string, fileId: string, lines?: OpenLines): Promise<readonly string[]>;
  /** Closes a file, or all. Returns the ids of those that were open. */
  closeFiles(agent: string, fileId?: string): Promise<readonly string[]>;
  /** Returns the texts of the open files, the one that was opened first first. How much is shown depends on the window. */
  openFiles(agent: string): Promise<readonly OpenFileText[]>;
  /** Detaches a source from an agent. Returns false if it was not attached. */
  detach(agent: string, source: string): Promise<boolean>;
}
