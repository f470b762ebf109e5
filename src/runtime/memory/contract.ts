// Defines the operations on core memory and its history.
// Invariant: each operation acts for the runtime's user only. This file checks types only; texts and limits are checked
// where a module is edited.
import { optional } from "../../base/arguments/argument-checks.ts";
import { type Form, form, type OptionsOf, optionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { Trust } from "../../base/message/message.ts";
import { type DiffRange, diffRange, type ModuleDiff, moduleDiffFields } from "../../memory/core/module-history.ts";
import type { RevisionCause } from "../../memory/core/revision-cause.ts";
import { undoneRevisionFields, type UndoneRevision, undoOptions } from "../../memory/core/undo-edit.ts";
import { type Writer, writerFields } from "../../memory/writer.ts";
import { revisionFields, type RevisionRecord, trustForm } from "../../store/port/records.ts";
import { chat, type Contract, optionalOptions, optionalValue, optionsNamed, read, value } from "../contract.ts";

export { revisionFields };

/** A module of core memory. Its length and its limit count code points. */
const moduleFields = {
  id: form.id,
  ownerId: form.text,
  label: form.text,
  scope: form.choice("agent", "user"),
  description: form.nullable(form.text),
  value: form.text,
  length: form.ordinal,
  limit: form.count,
  readOnly: form.flag,
  revision: form.ordinal,
  /** The trust of the value: the lowest trust of its lines. */
  trust: trustForm,
  /** The trust of each line; null if all lines have the trust of the value. */
  lineTrust: form.nullable(form.texts as Form<readonly Trust[]>),
};

export interface ModuleView extends RecordOf<typeof moduleFields> {}

/** A change of a module: appends a line, replaces every occurrence of a text, or sets a new text. */
export type ModuleEdit =
  | { readonly append: string }
  | { readonly replace: string; readonly with: string }
  | { readonly rewrite: string };

/** The result of an edit of a module's newest text. */
const editedModuleFields = {
  label: form.text,
  revision: form.ordinal,
  before: form.text,
  after: form.text,
  /** The module's limit, in code points. */
  limit: form.count,
};

export interface EditedModule extends RecordOf<typeof editedModuleFields> {}

/** The writer of an edit, if it is not the user. */
export const editOptions = {
  /** The program that makes the edit for the user. */
  by: form.program<Writer>(optionsOf(writerFields, { required: ["client", "trust"] })),
};

export interface EditOptions extends OptionsOf<typeof editOptions> {}

export interface UndoEditOptions extends OptionsOf<typeof undoOptions & typeof editOptions> {}

export interface MemoryOperations {
  /** Returns the modules of an agent's core memory, in their order in the prompt. */
  show(agent: string): Promise<readonly ModuleView[]>;
  /**
   * Returns a module as it was at a revision; 0 is the state before its first revision. Throws ModuleNotFoundError,
   * RequestError `revision_not_found`.
   */
  at(agent: string, label: string, revision: number): Promise<ModuleView>;
  /** Returns what changed in a module between two revisions, by default the last change. Throws the same errors as `at`. */
  diff(agent: string, label: string, range?: DiffRange): Promise<ModuleDiff>;
  /** Replaces the text of a module. Throws ModuleLimitError, ModuleNotFoundError, ModuleReadOnlyError. */
  set(agent: string, label: string, value: string): Promise<ModuleView>;
  /**
   * Adds a line to the module for facts about the user. Returns null if the module already has that line. Throws
   * ModuleLimitError, ModuleNotFoundError (the memory class has no module `human`), ModuleReadOnlyError.
   */
  remember(agent: string, fact: string, options?: EditOptions): Promise<EditedModule | null>;
  /**
   * Edits the newest text of a module, as the model's tools do; after a conflict with another writer, the edit is repeated.
   * Returns null if the text is the same afterwards. Throws EditMismatchError for a text to replace that does not occur,
   * ModuleLimitError, ModuleNotFoundError, ModuleReadOnlyError, ModuleAppendOnlyError.
   */
  edit(agent: string, label: string, edit: ModuleEdit, options?: EditOptions): Promise<EditedModule | null>;
  /** Returns the changes of all modules or of one, newest first. */
  revisions(
    agent: string,
    options?: { readonly label?: string; readonly limit?: number },
  ): Promise<readonly RevisionRecord[]>;
  /**
   * Returns the cause of a revision: the tool call that made it, and the input of its turn. Throws RequestError `input_invalid`
   * and `revision_not_found`.
   */
  cause(agent: string, label: string, revision: number): Promise<RevisionCause>;
  /**
   * Undoes the given revision, or by default the last change that is not undone yet. Returns null if there is no such change.
   * Throws DependentEditsError, RequestError `revision_not_found` and `undo_refused`, ModuleNotFoundError.
   */
  undo(agent: string, label?: string, options?: UndoEditOptions): Promise<UndoneRevision | null>;
}

const agent = value("agent", form.text);
const label = value("label", form.text);
const revision = value("revision", form.ordinal);
/** The library's options of an edit. `/api` passes none, because its caller is the user. */
const options = { name: "options", check: optional(optionsOf(editOptions)) };
const edited = form.nullable(form.record(editedModuleFields));

const causeFields = {
  revision: form.record(revisionFields),
  call: form.nullable(form.object<NonNullable<RevisionCause["call"]>>()),
  input: form.nullable(form.object<NonNullable<RevisionCause["input"]>>()),
};

export const memoryContract = {
  show: { args: [agent], http: read("GET /agents/:agent/modules", "Get core memory", [moduleFields]) },
  at: {
    args: [agent, label, revision],
    http: read("GET /agents/:agent/modules/:label/revisions/:revision", "Get a module as of a revision", moduleFields),
  },
  diff: {
    args: [agent, label, optionalOptions(diffRange, { name: "range" })],
    http: read(
      "GET /agents/:agent/modules/:label/diff",
      "Get the difference between two revisions of a module",
      moduleDiffFields,
    ),
  },
  set: {
    args: [agent, label, value("value", form.text)],
    http: chat("PUT /agents/:agent/modules/:label", "Replace the text of a module", moduleFields),
  },
  remember: {
    args: [agent, value("fact", form.text), options],
    http: chat("POST /agents/:agent/remember", "Save a fact about the user in core memory", edited),
  },
  edit: {
    args: [
      agent,
      label,
      optionsNamed("edit", { append: form.text, replace: form.text, with: form.text, rewrite: form.text }),
      options,
    ],
    http: chat(
      "PATCH /agents/:agent/modules/:label",
      "Edit the newest text of a module; null if the text is the same afterwards",
      edited,
    ),
  },
  revisions: {
    args: [agent, optionalOptions({ label: form.text, limit: form.count })],
    http: read("GET /agents/:agent/revisions", "List the changes of core memory, newest first", [revisionFields]),
  },
  cause: {
    args: [agent, label, revision],
    http: read(
      "GET /agents/:agent/modules/:label/revisions/:revision/cause",
      "Get the tool call and the message that caused a revision",
      causeFields,
    ),
  },
  undo: {
    args: [agent, optionalValue("label", form.text), optionalOptions(undoOptions, { own: editOptions })],
    http: chat(
      "POST /agents/:agent/undo",
      "Undo a change of core memory, by default the last one",
      form.nullable(form.record(undoneRevisionFields)),
    ),
  },
} as const satisfies Contract<MemoryOperations>;
