// Defines the operations on sources: collections of files and passages that agents can search.
// Invariant: each operation acts for the runtime's user only. This file checks types only; names and texts are checked
// where they are stored.
import {
  type ArgumentCheck,
  callback,
  checkThat,
  flag,
  isPlainObject,
  list,
  optional,
  options,
  signal,
  text,
} from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import type { FileProgress, LoadSummary, SourceFileInput, SourceInput } from "../../memory/source-load.ts";
import {
  type AttachedFile,
  attachedFileFields,
  type OpenFileText,
  openFileTextFields,
} from "../../store/port/attached-file-store.ts";
import {
  type AddedPassage,
  addedPassageFields,
  passageFields,
  type PassageRecord,
} from "../../store/port/passage-store.ts";
import {
  sourceDetailFields,
  sourceFields,
  type SourceFileRecord,
  sourceFileFields,
  type SourceRecord,
} from "../../store/port/source-store.ts";
import { addOptions, type ArchivalAddOptions, missingPassage, type PassageListOptions } from "../archival/contract.ts";
import {
  admin,
  chat,
  type Contract,
  isChanged,
  listFields,
  optionalOptions,
  optionalValue,
  optionsNamed,
  read,
  value,
} from "../contract.ts";
import { editOptions } from "../memory/contract.ts";

const loadOptions = {
  description: form.text,
  /** Removes files of earlier loads that no longer exist, with their passages. Default false. */
  prune: form.flag,
  /** The folder that relative paths start from; default: the current folder of the process. */
  folder: form.text,
  /** Called after each file. */
  onProgress: form.program<(progress: LoadProgress) => void>(callback),
  signal: form.program<AbortSignal>(signal),
};

export interface LoadOptions extends OptionsOf<typeof loadOptions> {}

/** The progress of a load, which reads all files and then makes vectors. Passages without a vector are found by words only. */
export type LoadProgress =
  | (FileProgress & { readonly phase: "files" })
  | { readonly phase: "vectors"; readonly passagesDone: number; readonly passages: number };

export interface SourceLoadResult extends LoadSummary {
  readonly source: SourceRecord;
  /** Number of new vectors, and of passages without a vector because the embedder failed or none is configured. */
  readonly vectors: { readonly made: number; readonly missing: number };
}

/** The result of loading one file into a source. */
export const loadedFields = {
  source: form.record(sourceFields),
  added: form.ordinal,
  changed: form.ordinal,
  unchanged: form.ordinal,
  failed: form.objects(),
  skipped: form.objects(),
  passages: form.ordinal,
};

export interface SourceDetailOptions extends OptionsOf<typeof sourceDetailFields> {}

const sourceChange = { ...sourceDetailFields, name: form.text };

export interface SourceChange extends OptionsOf<typeof sourceChange> {}

const openLines = { from: form.number, to: form.number };

/** The range of lines of a file, from 1; default: all lines. */
export interface OpenLines extends OptionsOf<typeof openLines> {}

/**
 * Operations on sources: named collections of files and passages. A parameter `source` is a name or an id. Every function
 * throws RequestError `source_not_found` for an unknown source.
 */
export interface SourceOperations {
  /**
   * Loads files, folders and patterns by their paths, and files with their content (`{ name, data }`: bytes, text, a
   * stream or a Blob) into a source, and creates the source if needed. Stores only files that are new or changed. The
   * result lists files that cannot be read. Throws RequestError `source_file_unreadable` if there is nothing to load,
   * and `input_invalid` for an invalid name, with nothing written. Throws the signal's reason; files that are already
   * loaded stay, and the next load continues after them.
   */
  load(source: string, inputs: readonly SourceInput[], options?: LoadOptions): Promise<SourceLoadResult>;
  list(): Promise<readonly SourceRecord[]>;
  /** Creates an empty source. Throws RequestError `input_invalid` for an invalid name, and `source_exists`. */
  create(name: string, options?: SourceDetailOptions): Promise<SourceRecord>;
  show(source: string): Promise<SourceRecord>;
  /** Returns the files of a source, by path. */
  files(source: string): Promise<readonly SourceFileRecord[]>;
  /** Removes a file with its passages, by the path that the source lists. Returns false if it has no such file. */
  removeFile(source: string, path: string): Promise<boolean>;
  /**
   * Changes the name and the details of a source; it stays attached to agents. If it throws RequestError `input_invalid` for an
   * invalid name, or `source_exists` for a name in use, nothing is changed.
   */
  update(source: string, change: SourceChange): Promise<SourceRecord>;
  /** Returns a page of the passages, including those without a file. For the next page, pass the last id as `after`. */
  passages(source: string, options?: PassageListOptions): Promise<readonly PassageRecord[]>;
  /**
   * Stores a passage that belongs to no file, unless the source already has a passage with the same text. Throws RequestError
   * `input_invalid` for a blank text.
   */
  add(source: string, text: string, options?: ArchivalAddOptions): Promise<AddedPassage>;
  /** Replaces the tags of a passage; duplicates are stored once. Returns false if the source has no passage with that id. */
  setPassageTags(source: string, passageId: string, tags: readonly string[]): Promise<boolean>;
  /** Deletes a passage. Returns false if the source has no passage with that id. */
  deletePassage(source: string, passageId: string): Promise<boolean>;
  /** Deletes a source with its passages, and detaches it from every agent. */
  delete(source: string): Promise<void>;
  /** Attaches a source to an agent without copying anything. Returns false if it was attached already. */
  attach(agent: string, source: string): Promise<boolean>;
  /** Returns the files of an agent's sources, by source and path. `open`: the lines of the file that are in the window. */
  attachedFiles(agent: string): Promise<readonly AttachedFile[]>;
  /**
   * Opens a file in an agent's window, as the agent does with the tool `open_files`. At most five files are open: if there are
   * more, the one that was opened first is closed. Returns the ids of closed files. Throws RequestError `source_not_found`, or
   * `input_invalid` for lines that the file does not have.
   */
  openFile(agent: string, fileId: string, lines?: OpenLines): Promise<readonly string[]>;
  /** Closes a file, or by default all files, in an agent's window. Returns the ids of the closed files. */
  closeFiles(agent: string, fileId?: string): Promise<readonly string[]>;
  /** Returns the texts of the open files, in the order of their opening. The size of the window limits how much is shown. */
  openFiles(agent: string): Promise<readonly OpenFileText[]>;
  /** Detaches a source from an agent. Returns false if it was not attached. */
  detach(agent: string, source: string): Promise<boolean>;
}

const sourceFile = options<SourceFileInput>(
  {
    name: text,
    data: checkThat(
      "bytes, a text, a stream or a Blob",
      (given) => typeof given === "string" || (typeof given === "object" && given !== null && !isPlainObject(given)),
    ),
    isNew: optional(flag),
  },
  { otherNames: { path: "Pass the path itself, as a string.", content: "Use `data`.", text: "Use `data`." } },
);

const sourceInput: ArgumentCheck = (given, place) => {
  if (typeof given !== "string") sourceFile(given, place);
};

const agent = value("agent", form.text);
const source = value("source", form.text);
const passageId = value("passageId", form.id);

export const sourceContract = {
  load: {
    args: [
      source,
      { name: "inputs", check: list(sourceInput, 'Pass an array: sources.load("work", ["docs"]).') },
      optionalOptions(loadOptions),
    ],
    http: "`POST /sources/:source/files` loads a file that is sent.",
  },
  list: { args: [], http: read("GET /sources", "List the sources", [sourceFields]) },
  create: {
    args: [value("name", form.text), optionalOptions(sourceDetailFields)],
    http: admin("POST /sources", "Create an empty source", sourceFields, { status: 201 }),
  },
  show: { args: [source], http: read("GET /sources/:source", "Get a source", sourceFields) },
  files: { args: [source], http: read("GET /sources/:source/files", "List the files of a source", [sourceFileFields]) },
  removeFile: {
    args: [source, value("path", form.text)],
    http: admin("DELETE /sources/:source/files", "Remove a file, by its path, with its passages", null, {
      missing: ["source_not_found", "The source has no file at that path."],
    }),
  },
  update: {
    args: [source, optionsNamed("change", sourceChange)],
    http: admin("PATCH /sources/:source", "Rename or describe a source; agents stay attached", sourceFields),
  },
  passages: {
    args: [source, optionalOptions(listFields)],
    http: read("GET /sources/:source/passages", "List the passages of a source", [passageFields]),
  },
  add: {
    args: [source, value("text", form.text), optionalOptions(addOptions, { own: editOptions })],
    http: admin("POST /sources/:source/passages", "Add a passage that belongs to no file", addedPassageFields, {
      status: 201,
    }),
  },
  setPassageTags: {
    args: [source, passageId, value("tags", form.texts)],
    http: admin("PUT /sources/:source/passages/:passage/tags", "Replace the tags of a passage of a source", null, {
      missing: missingPassage,
    }),
  },
  deletePassage: {
    args: [source, passageId],
    http: admin("DELETE /sources/:source/passages/:passage", "Delete a passage of a source", null, {
      missing: missingPassage,
    }),
  },
  delete: {
    args: [source],
    http: admin("DELETE /sources/:source", "Delete a source with its passages, for every agent", null),
  },
  attach: {
    args: [agent, source],
    http: admin("PUT /agents/:agent/sources/:source", "Attach a source to an agent", isChanged),
  },
  detach: {
    args: [agent, source],
    http: admin("DELETE /agents/:agent/sources/:source", "Detach a source from an agent", isChanged),
  },
  attachedFiles: {
    args: [agent],
    http: read(
      "GET /agents/:agent/files",
      "List the files of an agent's sources, and which of them are open in its window",
      [attachedFileFields],
    ),
  },
  openFiles: {
    args: [agent],
    http: read("GET /agents/:agent/open-files", "Get the texts of the files that are open in an agent's window", [
      openFileTextFields,
    ]),
  },
  openFile: {
    args: [agent, value("fileId", form.id), optionalOptions(openLines, { name: "lines" })],
    http: chat(
      "PUT /agents/:agent/files/:file/open",
      "Open a file in an agent's window; at most five are open",
      form.texts,
    ),
  },
  closeFiles: {
    args: [agent, optionalValue("fileId", form.id)],
    http: chat("DELETE /agents/:agent/files/:file/open", "Close a file in an agent's window", form.texts),
  },
} as const satisfies Contract<SourceOperations>;
