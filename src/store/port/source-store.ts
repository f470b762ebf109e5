// The part of the store's port that keeps sources: named collections of files as passages, and the agents that search them.
// Invariant: all passages of a file are replaced in one transaction, so an interrupted load leaves no file half loaded.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { SourceLocation } from "./passage-store.ts";

/** The kinds of files that can be read. */
export type SourceFileKind = "text" | "markdown" | "html" | "pdf" | "json-lines" | "code";

export interface SourcePassage {
  readonly id: string;
  readonly text: string;
  readonly place: SourceLocation;
}

/** A file to load into a source. */
export interface LoadedFile {
  /** The id for a file that is new to the source; a known file keeps its id. */
  readonly id: string;
  /** Absolute path with `/` as separator; identifies the file. */
  readonly path: string;
  readonly kind: SourceFileKind;
  readonly bytes: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly sha256: string;
  /** When the file was loaded, by the runtime's clock; also the time of its new passages. */
  readonly loadedAt: Date;
  readonly passages: readonly SourcePassage[];
  /** Whether to store nothing if the source already has a file with this path. */
  readonly isNew?: boolean;
}

/** A file that could not be read. Its passages from an earlier load are kept; `loadedAt` is the time of the attempt. */
export interface FailedFile extends Omit<LoadedFile, "passages" | "isNew"> {
  /** The reason in words for a person, without any of the file's text. */
  readonly reason: string;
}

export const sourceFileFields = {
  id: form.id,
  path: form.text,
  kind: form.choice("text", "markdown", "html", "pdf", "json-lines", "code"),
  bytes: form.ordinal,
  sha256: form.text,
  passages: form.ordinal,
  status: form.choice("loaded", "failed"),
  /** Why the file could not be read; null for a loaded file. */
  reason: form.nullable(form.text),
  loadedAt: form.moment,
};

export interface SourceFileRecord extends RecordOf<typeof sourceFileFields> {}

/** The files of sources. Every function throws RequestError `source_not_found` if the user owns no such source. */
export interface SourceFileStore {
  /** Lists the files, ordered by path. */
  list(sourceId: string): Promise<readonly SourceFileRecord[]>;
  /**
   * Replaces the file's record and passages in one transaction. Returns the number of passages that the file now has; null,
   * with nothing changed, if `isNew` is set and the source already has a file with this path.
   */
  replace(sourceId: string, file: LoadedFile): Promise<number | null>;
  /** Records that a file could not be read. */
  fail(sourceId: string, file: FailedFile): Promise<void>;
  /** Removes files with their passages. Returns the number of removed files. */
  remove(sourceId: string, paths: readonly string[]): Promise<number>;
}

/** The details of a source besides its name. */
export const sourceDetailFields = {
  description: form.nullable(form.text),
  /** A JSON object that only the caller interprets. */
  metadata: form.object(),
  /** JSON values that front ends keep with the source, each under its own name. */
  extensions: form.object(),
};

export interface SourceDetails extends RecordOf<typeof sourceDetailFields> {}

export const sourceFields = {
  id: form.id,
  name: form.text,
  ...sourceDetailFields,
  /**
   * Numbers of all files, of files that could not be read last time, of bytes in all files, and of all passages, including
   * those that belong to no file.
   */
  files: form.ordinal,
  failed: form.ordinal,
  bytes: form.ordinal,
  passages: form.ordinal,
  /** The names of the agents that search the source, sorted. */
  agents: form.texts,
  /**
   * The ids of these agents, in the same order: an agent shared by another user may have the same name as an agent of the user.
   */
  agentIds: form.texts,
  createdAt: form.moment,
  /** When a file was last loaded; null if none was. */
  loadedAt: form.nullable(form.moment),
};

export interface SourceRecord extends RecordOf<typeof sourceFields> {}

export interface SourceStore {
  /**
   * Returns the id of the source of this name, creating it if necessary, and sets its description if one is given. Throws
   * RequestError `input_invalid` for an invalid name.
   */
  ensure(source: { readonly id: string; readonly name: string; readonly description: string | null }): Promise<string>;
  /** Lists the sources, ordered by name. */
  list(): Promise<readonly SourceRecord[]>;
  /** Returns the source with this name or id; null if there is none. */
  find(nameOrId: string): Promise<SourceRecord | null>;
  /** Creates an empty source. Throws RequestError `input_invalid` for an invalid name, and `source_exists`. */
  create(source: Partial<SourceDetails> & { readonly id: string; readonly name: string }): Promise<void>;
  /**
   * Changes the given fields; agents keep searching the source and cite a new name. Throws RequestError `input_invalid` for an
   * invalid name, `source_exists` if another source has the name, and `source_not_found`, with nothing changed.
   */
  update(sourceId: string, change: Partial<SourceDetails> & { readonly name?: string }): Promise<void>;
  /** Deletes the source with its files and passages, for every agent. Returns false if there was none. */
  delete(sourceId: string): Promise<boolean>;
  /**
   * Attaches the source to an agent, without copying anything. Returns false if it was already attached. Throws
   * RequestError `agent_not_found` and `source_not_found`.
   */
  attach(agentId: string, sourceId: string): Promise<boolean>;
  /** Detaches the source from an agent. Returns false if it was not attached. */
  detach(agentId: string, sourceId: string): Promise<boolean>;
}
