// Defines the operation that imports conversations and memories from the exports of other programs.
// Invariant: the operation acts for the runtime's user only. This file checks types only.
import { type ArgumentCheck, callback, signal, argumentError } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { type Contract, optionsNamed, value } from "../contract.ts";

/** The program that wrote the file; `folder`: a folder of Markdown files, such as Letta's memfs. */
export type ImportForm = "chatgpt" | "claude" | "mem0" | "folder";

/** The path of a JSON file, of the ZIP that contains it, or of the folder of an unpacked ZIP; or the bytes of a JSON file. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

const importedTextFields = { conversations: form.number, messages: form.number, passages: form.number };

export interface ImportedTexts extends RecordOf<typeof importedTextFields> {}

export interface ImportProgress extends ImportedTexts {
  /** Number of bytes of the file that were read so far. */
  readonly bytes: number;
  /** The size of the file in bytes; null if it is unknown. */
  readonly totalBytes: number | null;
}

const importOptions = {
  /** The program that wrote the file. */
  form: form.choice<ImportForm>("chatgpt", "claude", "mem0", "folder"),
  /** Reads and counts, and stores nothing. Default false. */
  dryRun: form.flag,
  /** Called after each stored part of the file. */
  onProgress: form.program<(progress: ImportProgress) => void>(callback),
  /** Ends the import. Parts that are already stored stay, and repeating the import continues after them. */
  signal: form.program<AbortSignal>(signal),
};

export interface ImportOptions extends OptionsOf<typeof importOptions, "form"> {}

const importRemarkFields = { text: form.text, count: form.number };

/** A number of items, and what they are, such as "memories without a time, which got the time of the import". */
export interface ImportRemark extends RecordOf<typeof importRemarkFields> {}

export const importReportFields = {
  /** Numbers of items in the file that can be imported. `branches`: threads besides each conversation's current one. */
  found: form.record({ ...importedTextFields, branches: form.number }),
  /** The number of found items that were not stored before. A dry run counts them without storing. */
  added: form.record(importedTextFields),
  /** Items that are not imported, by reason. */
  leftOut: form.records(importRemarkFields),
  /** Items that are imported in another form, by reason. */
  notes: form.records(importRemarkFields),
};

export interface ImportReport extends RecordOf<typeof importReportFields> {}

export interface ImportOperations {
  /**
   * Imports an export of another program: its conversations become conversations of the agent, which recall finds, and its
   * memories become passages of the agent's archive. Times and branches are kept, and all texts get the trust `external`; core
   * memory is not changed. Ids are derived from those in the file, so a repeated import adds only what is new. The file is read
   * as a stream, and vectors are made in the background. Throws RequestError `import_invalid` for a file that is damaged,
   * incomplete or of another program; items before the damage stay stored. Throws ConfigError for a file that cannot be read,
   * and the signal's reason.
   */
  run(agent: string, source: ImportSource, options: ImportOptions): Promise<ImportReport>;
}

/** Checks that a value is an `ImportSource`. */
const source: ArgumentCheck = (value, place) => {
  if (typeof value === "string") return;
  if (typeof value === "object" && value !== null && Symbol.asyncIterator in value) return;
  const expected = "a path or a stream of bytes";
  const remedy = 'Pass a path such as "conversations.json".';
  throw argumentError(place.of, { ...place, expected, got: value, remedy });
};

export const importContract = {
  run: {
    args: [
      value("agent", form.text),
      { name: "source", check: source },
      optionsNamed("options", importOptions, { required: ["form"] }),
    ],
    http: "`POST /agents/:agent/imports` takes the file as part of a form.",
  },
} as const satisfies Contract<ImportOperations>;
