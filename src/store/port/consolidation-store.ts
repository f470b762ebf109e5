// The part of the store's port for consolidations: runs that propose operations on memory, and what became of each operation.
// Invariant: an agent has at most one running run per user; a run's operations, and what they change, are written in one
// transaction; only undoing a run deletes anything: the passages that the run has added.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { Trust, Usage } from "../../base/message/message.ts";
import type { NewPassage } from "./passage-store.ts";
import { type ChangeCause, type ModuleChange, trustForm } from "./records.ts";

/** The kind of a row of memory: a passage of the archive, a message of the user, or a line of a module. */
const rowKind = form.choice("passage", "message", "line");

const rowFields = {
  kind: rowKind,
  /** The id of a passage or message; for a line, the label of its module. */
  id: form.text,
  text: form.text,
};

export interface RowReference extends RecordOf<typeof rowFields> {}

/** A row of memory with its trust class and its time. */
export interface MemoryRow extends RowReference {
  readonly trust: Trust;
  /** When the row was said or written. */
  readonly at: Date;
  /** True for a passage that another one has replaced. */
  readonly isReplaced?: boolean;
}

/** A verbatim part of a row. */
const quoteFields = { kind: rowKind, id: rowFields.id, quote: form.text };

/** A link from a passage to the one that replaces it. */
export interface PassageLink {
  readonly id: string;
  readonly by: string;
}

/** A passage, with the text that it had when it was read. */
export interface PassageText {
  readonly id: string;
  readonly text: string;
}

export const operationFields = {
  kind: form.choice("add", "merge", "supersede", "move-to-archive", "split"),
  /** `proposed`: the operation waits for review; `dropped`: a check refused it, and nothing was changed. */
  status: form.choice("proposed", "applied", "rejected", "dropped", "undone"),
  /** The model's reason. */
  reason: form.text,
  /** The rows that the operation changes, with their texts. */
  targets: form.records(rowFields),
  /** The texts that the operation writes. */
  texts: form.texts,
  /** For kind `add`: the label of the module that gets a line, or null if a passage is added. Null for other kinds. */
  module: form.nullable(form.text),
  evidence: form.records(quoteFields),
  /** The trust class of the new texts. */
  trust: trustForm,
  /** Whether the operation is applied only after a review, whatever the setting `consolidation` says. */
  needsReview: form.flag,
  /** Why the operation was dropped; null for any other status. */
  why: form.nullable(form.text),
  /** The passages that the operation replaced, each with its successor; empty before the operation is applied. */
  replaced: form.objects<{ readonly id: string; readonly by: string }>(),
};

/** A change of memory that a model proposed, with its evidence. */
export interface ConsolidationOperation extends RecordOf<typeof operationFields> {}

const signalFields = {
  /** Number of new passages that are similar to another passage. */
  similar: form.ordinal,
  /** Number of changed modules that are at least 80 % full. */
  full: form.ordinal,
  /** Number of lines of core memory with a date that has passed since the last run. */
  expired: form.ordinal,
  /** Number of the user's new messages in turns that saved nothing to memory; 0 if they are too few for a run. */
  unsaved: form.ordinal,
};

/** The reasons for a run, as numbers of rows. */
export interface ConsolidationSignals extends RecordOf<typeof signalFields> {}

export const consolidationFields = {
  id: form.id,
  agentId: form.id,
  /** `proposed`: an operation waits for review. `applied`: none waits. `rejected`: none waits and none was applied. */
  status: form.choice("running", "proposed", "applied", "rejected", "undone", "failed"),
  signals: form.record(signalFields),
  operations: form.records(operationFields),
  /** Why the run failed, or what was wrong with the model's answers; null if neither. */
  reason: form.nullable(form.text),
  model: form.text,
  usage: form.object<Usage>(),
  /** Cost of the run's model calls in US dollars; null if the price was unknown. */
  dollars: form.nullable(form.number),
  createdAt: form.moment,
  /** When the run ended; null while it is running. */
  endedAt: form.nullable(form.moment),
};

export interface ConsolidationRecord extends RecordOf<typeof consolidationFields> {}

/** The end of a run's input: the last message and passage that were read, and the revision of each module by label. */
export interface ConsolidationRanges {
  readonly message: string;
  readonly passage: string;
  readonly modules: Readonly<Record<string, number>>;
}

export interface StoredConsolidation extends ConsolidationRecord {
  readonly ranges: ConsolidationRanges;
  /** A text that changes with every change of the run's operations. */
  readonly version: string;
}

export interface NewConsolidation
  extends Pick<ConsolidationRecord, "id" | "agentId" | "signals" | "model" | "createdAt"> {
  readonly ranges: ConsolidationRanges;
  /** Id of the last completed run when the input was read; null if there was none. */
  readonly after: string | null;
  /** Number of applied forgettings before the input was read. */
  readonly forgettings: number;
  /** When another process may take over the run. */
  readonly claimedUntil: Date;
  /** Whether `begin` returns false while a turn of the agent runs. */
  readonly unlessTurn: boolean;
}

export interface UserMessageRow extends MemoryRow {
  /** Whether the message's turn edited memory. */
  readonly isSaved: boolean;
}

export interface ConsolidationInput {
  readonly passages: readonly MemoryRow[];
  readonly messages: readonly UserMessageRow[];
}

/** A change of a run, with its effects on memory. */
export interface ConsolidationCommit {
  readonly run: Pick<StoredConsolidation, "id" | "agentId" | "status" | "version">;
  readonly next: Pick<ConsolidationRecord, "status" | "operations"> &
    Partial<Pick<ConsolidationRecord, "reason" | "usage" | "dollars" | "endedAt">>;
  readonly changes: readonly ModuleChange[];
  readonly cause: ChangeCause;
  readonly passages: readonly NewPassage[];
  /** Links for the current passages that get a successor, each with the passage's text. */
  readonly links: readonly (PassageLink & PassageText)[];
  /** Passages to keep from now on, even if the turn or the run that added them is undone. */
  readonly kept: readonly PassageText[];
  /** The effects on the archive to undo; null if the commit does not undo the run. */
  readonly undone: UndoneLinks | null;
}

/** The links to remove when a run is undone. The passages that the run added are deleted after that. */
export interface UndoneLinks {
  readonly links: readonly PassageLink[];
  /** Links to check: if the run added the replacing passage, undoing deletes it, so the replaced passage must exist. */
  readonly needed: readonly PassageLink[];
}

export interface ConsolidationStore {
  /**
   * Returns current passages and messages of the user after these ids, oldest first, at most `limit` of each. Leaves
   * out passages that a run added, messages with files, and messages that are on no thread.
   */
  news(agentId: string, after: Omit<ConsolidationRanges, "modules">, limit: number): Promise<ConsolidationInput>;
  /**
   * Returns the wanted rows that exist: current passages by id, any passages by text, messages by id, and the user's
   * messages in the turns that added the passages `from`.
   */
  rows(agentId: string, wanted: RowsWanted): Promise<readonly MemoryRow[]>;
  /**
   * Begins a run. Returns false if another run is running or has completed since the input was read, if something was
   * forgotten since then, or if a turn runs and `unlessTurn` is set.
   */
  begin(run: NewConsolidation): Promise<boolean>;
  find(id: string): Promise<StoredConsolidation | null>;
  /** Returns the last run that was completed; null if there is none. */
  last(agentId: string): Promise<StoredConsolidation | null>;
  /** Returns at most `limit` runs, newest first. */
  list(agentId: string, limit: number): Promise<readonly ConsolidationRecord[]>;
  /**
   * Changes a run and memory; does nothing if this change is already stored. Throws, with nothing written,
   * RevisionConflictError if a module has changed; RequestError `agent_busy` if (1) the run or a passage has changed,
   * or (2) memory would change while a turn of the agent runs; `undo_refused` if (1) a later change depends on one to
   * undo, or (2) a passage that `needed` requires is missing.
   */
  commit(commit: ConsolidationCommit): Promise<void>;
}

export interface RowsWanted {
  readonly passages: readonly string[];
  readonly texts: readonly string[];
  readonly messages: readonly string[];
  readonly from: readonly string[];
}
