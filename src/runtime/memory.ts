// Operations on core memory and its history.
// Invariant: types only; each operation acts for the runtime's user only.
import type { DiffRange, ModuleDiff } from "../memory/core/module-history.ts";
import type { RevisionCause } from "../memory/core/revision-cause.ts";
import type { UndoOptions, UndoneRevision } from "../memory/core/undo-edit.ts";
import type { RevisionRecord } from "../store/port/records.ts";
import type { Writer } from "../memory/writer.ts";
import type { Trust } from "../base/message/message.ts";

/** A module with its place in the prompt: lengths and limit count code points. */
export interface ModuleView {
  readonly id: string;
  /** The user to whom it belongs. */
  readonly ownerId: string;
  readonly label: string;
  readonly scope: "agent" | "user";
  readonly description: string | null;
  readonly value: string;
  readonly length: number;
  readonly limit: number;
  readonly readOnly: boolean;
  readonly revision: number;
  /** The trust of the value: the lowest of its lines. */
  readonly trust: Trust;
  /** The trust of each line; null if each has that of the value. */
  readonly lineTrust: readonly Trust[] | null;
}

/** A change of a module: appends a line, replaces every occurrence of a text, or sets a new text. */
export type ModuleEdit =
  | { readonly append: string }
  | { readonly replace: string; readonly with: string }
  | { readonly rewrite: string };

/** An edit that was made, based on the newest text. */
export interface EditedModule {
  readonly label: string;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
  /** The module's limit, in code points. */
  readonly limit: number;
}

/** For whom an edit is made, if not for the user directly. */
export interface EditOptions {
  /** The program that writes for the user. */
  readonly by?: Writer;
}

export interface UndoEditOptions extends UndoOptions, EditOptions {}

export interface MemoryOperations {
  /** Returns the modules of an agent's core memory, in their order in the prompt. */
  show(agent: string): Promise<readonly ModuleView[]>;
  /**
   * Returns a module as of a revision; 0 is the state before its first revision. Throws ModuleNotFoundError, RequestError
   * `revision_not_found`.
   */
  at(agent: string, label: string, revision: number): Promise<ModuleView>;
  /** Returns what changed in a module between two revisions, by default the last change. Throws as `at` does. */
  diff(agent: string, label: string, range?: DiffRange): Promise<ModuleDiff>;
  /** Replaces the text of a module. Throws ModuleLimitError, ModuleNotFoundError, ModuleReadOnlyError. */
  set(agent: string, label: string, value: string): Promise<ModuleView>;
  /**
   * Adds a line to the module for facts about the user. Returns null if the module has that line. Throws
   * ModuleLimitError, ModuleNotFoundError (the memory class has no module `human`), ModuleReadOnlyError.
   */
  remember(agent: string, fact: string, options?: EditOptions): Promise<EditedModule | null>;
  /**
   * Edits a module as the model's tools do, on the newest text: if another writer was first, the edit is made again.
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
   * Returns why a module changed: the tool call that made the revision, and the input of its turn. Throws
   * RequestError `input_invalid` and `revision_not_found`.
   */
  cause(agent: string, label: string, revision: number): Promise<RevisionCause>;
  /**
   * Undoes the named revision, or the last change that was not undone before. Returns null if none is named and there is no
   * such change. Throws DependentEditsError, RequestError `revision_not_found` and `undo_refused`, ModuleNotFoundError.
   */
  undo(agent: string, label?: string, options?: UndoEditOptions): Promise<UndoneRevision | null>;
}
