// The part of the store's port that keeps sources: named collections of files as passages, and which agents search them.
// Invariant: the passages of a file are replaced as a whole, so a load that was cut off leaves no file half loaded.
import type { SourceLocation } from "./passage-store.ts";

/** What a reader can open. */
export type SourceFileKind = "text" | "markdown" | "html" | "pdf" | "json-lines" | "code";

export interface SourcePassage {
  readonly id: string;
  readonly content: string;
  readonly place: SourceLocation;
}

/** A file as it is loaded into a source. */
export interface LoadedFile {
  /** For a file that is new to the source; one that is known keeps its own. */
  readonly id: string;
  /** Absolute, with `/` between its parts: by it a file is known again. */
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  /** Of the content, in hexadecimal digits. */
  readonly sha256: string;
  /** By the runtime's clock; the time of its new passages as well. */
  readonly loadedAt: Date;
  readonly passages: readonly SourcePassage[];
}

/** A file that could not be read. Its passages of an earlier load stay. */
export interface FailedFile {
  /** As of a loaded file. */
  readonly id: string;
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  readonly sha256: string;
  /** When it was tried, by the runtime's clock. */
  readonly loadedAt: Date;
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

/** The files of sources. Every function throws RequestError `source_not_found` for a source that is not the user's. */
export interface SourceFileStore {
  /** By their paths. */
  list(sourceId: string): Promise<readonly SourceFileRecord[]>;
  /** Replaces what was known of the file, with its passages, in one transaction. Returns how many passages it has now. */
  replace(sourceId: string, file: LoadedFile): Promise<number>;
  /** Notes the failure. */
  fail(sourceId: string, file: FailedFile): Promise<void>;
  /** Forgets files with their passages. Returns how many files those were. */
  remove(sourceId: string, paths: readonly string[]): Promise<number>;
}

export interface SourceRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Files, those among them that could not be read when they were last looked at, and bytes of all. */
  readonly files: number;
  readonly failed: number;
  readonly bytes: number;
  readonly passages: number;
  /** The names of the agents that search it, in order. */
  readonly agents: readonly string[];
  /** Their ids, in the same order: an agent that another user shares may have the name of one of the user's own. */
  readonly agentIds: readonly string[];
  readonly createdAt: Date;
  /** When a file was last loaded; null when none was. */
  readonly loadedAt: Date | null;
}

export interface SourceStore {
  /** Makes a source, or finds the one of that name and gives it the description, if there is one. Throws RequestError `input_invalid` for a bad name. */
  ensure(source: { readonly id: string; readonly name: string; readonly description: string | null }): Promise<string>;
  /** By their names. */
  list(): Promise<readonly SourceRecord[]>;
  /** By name or id; null when there is none. */
  find(nameOrId: string): Promise<SourceRecord | null>;
  /**
   * Gives it another name; whoever searches it goes on, and cites it by that one. Throws RequestError `input_invalid` for a bad
   * name, `source_exists` for one that another source of the user's has, and `source_not_found`; then nothing is changed.
   */
  rename(sourceId: string, name: string): Promise<void>;
  /** Deletes it with its files and passages, for every agent. False when there was none. */
  delete(sourceId: string): Promise<boolean>;
  /**
   * Lets an agent search it; copies nothing. False when it did already. Throws RequestError `agent_not_found` and
   * `source_not_found`.
   */
  attach(agentId: string, sourceId: string): Promise<boolean>;
  /** False when it was not attached. */
  detach(agentId: string, sourceId: string): Promise<boolean>;
}
