// Defines the operations on memory as files: list and write them, read their history, and run the commands of a memory tool.
// Invariant: each operation acts for the runtime's user only. This file checks types only; paths and texts are checked
// where a file is written.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { MemoryCommand } from "../../memory/as-files/memory-commands.ts";
import { trustForm } from "../../store/port/records.ts";
import { chat, type Contract, optionalOptions, optionsNamed, read, value } from "../contract.ts";
import { editOptions, type EditOptions } from "../memory/contract.ts";

const memoryFileFields = {
  /** The relative path, with "/" between its parts: `human.md`, `notes/boats.txt`, or `archive/DAY-WORDS-ID.md`. */
  path: form.text,
  /** `skill`: a file SKILL.md. `file`: a passage that was written under a path. `passage`: any other passage. */
  kind: form.choice("module", "skill", "passage", "file"),
  text: form.text,
  /** Changes with the text: made from the module's revision, or from the passage's id and the hash of its text. */
  version: form.text,
  /** The description of a module or a skill; null for none. */
  description: form.nullable(form.text),
  tags: form.texts,
  readOnly: form.flag,
  trust: trustForm,
  /** When the passage was added; null for a module and a skill. */
  at: form.nullable(form.moment),
};

export interface MemoryFile extends RecordOf<typeof memoryFileFields> {}

const memoryFileChangeFields = {
  /** The id of the change, unique among the changes of an agent. */
  id: form.text,
  path: form.text,
  /** The text after the change; null if the file was removed. */
  text: form.nullable(form.text),
  at: form.moment,
  /** The program that made the change for the user, or `user`, `model`, `api` or `import`. */
  by: form.text,
  /** One line that describes the change, and further lines about its cause. */
  reason: form.text,
};

export interface MemoryFileChange extends RecordOf<typeof memoryFileChangeFields> {}

const historyOptions = {
  /** Only changes of this time or later. A passage that was imported with an earlier time is left out. */
  since: form.moment,
};

export interface FileHistoryOptions extends OptionsOf<typeof historyOptions> {}

const fileChange = {
  /** Null removes the file. The text of a removed file of kind `file` stays in the archive, marked as deleted. */
  text: form.nullable(form.text),
  /** The version of the file that the change is based on; null for a new file. */
  version: form.nullable(form.text),
};

export interface FileChange extends OptionsOf<typeof fileChange, "text" | "version"> {}

const writtenFileFields = {
  /** The path after the change; null if the file was removed. The path of a passage contains its new id. */
  path: form.nullable(form.text),
  version: form.nullable(form.text),
};

export interface WrittenFile extends RecordOf<typeof writtenFileFields> {}

const toolCommand = {
  command: form.choice<MemoryCommand["command"]>("view", "create", "str_replace", "insert", "delete", "rename"),
  /** A path below `/memories`. */
  path: form.text,
  view_range: form.list(form.number),
  file_text: form.text,
  old_str: form.text,
  new_str: form.text,
  insert_line: form.number,
  insert_text: form.text,
  old_path: form.text,
  new_path: form.text,
};

/** A command of Anthropic's memory tool (`memory_20250818`). */
export interface MemoryToolCommand extends OptionsOf<typeof toolCommand, "command"> {}

/** The result for the model; `isError`: nothing was changed. */
const commandResultFields = { text: form.text, isError: form.flag };

export interface MemoryToolResult extends RecordOf<typeof commandResultFields> {}

export interface MemoryFileOperations {
  /** Returns core memory and the current passages of the agent's own archive as files, in the order of their paths. */
  list(agent: string): Promise<readonly MemoryFile[]>;
  /** Returns the stored changes of an agent's memory files, oldest first. */
  history(agent: string, options?: FileHistoryOptions): Promise<readonly MemoryFileChange[]>;
  /**
   * Writes or removes a file if it has the given version. Throws RevisionConflictError for another version, RequestError
   * `input_invalid` for a path that is not allowed and for the removal of a module, and the errors of edits, with nothing changed.
   */
  write(agent: string, path: string, change: FileChange, options?: EditOptions): Promise<WrittenFile>;
  /**
   * Runs a command of Anthropic's memory tool on an agent's memory files, below `/memories`. The texts that the command
   * writes get the trust `external` unless `by` says otherwise.
   */
  command(agent: string, command: MemoryToolCommand, options?: EditOptions): Promise<MemoryToolResult>;
}

const agent = value("agent", form.text);

export const memoryFileContract = {
  list: { args: [agent], http: read("GET /agents/:agent/memory-files", "Get memory as files", [memoryFileFields]) },
  history: {
    args: [agent, optionalOptions(historyOptions)],
    http: read("GET /agents/:agent/memory-files/history", "List the changes of memory as files, oldest first", [
      memoryFileChangeFields,
    ]),
  },
  write: {
    args: [
      agent,
      value("path", form.text),
      { ...optionsNamed("change", fileChange, { required: ["text", "version"] }) },
      optionalOptions({}, { own: editOptions }),
    ],
    http: chat(
      "PUT /agents/:agent/memory-files",
      "Write a file of memory if it has the given version",
      writtenFileFields,
    ),
  },
  command: {
    args: [
      agent,
      optionsNamed("command", toolCommand, { required: ["command"] }),
      optionalOptions({}, { own: editOptions }),
    ],
    http: chat(
      "POST /agents/:agent/memory-files/command",
      "Run a command of Anthropic's memory tool on memory as files",
      commandResultFields,
    ),
  },
} as const satisfies Contract<MemoryFileOperations>;
