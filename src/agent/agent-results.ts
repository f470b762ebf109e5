// Defines the fields of the results that the functions of an open agent return.
// Invariant: pure; the types and the JSON of `/api` are derived from these tables.
import { form, type RecordOf } from "../base/arguments/forms.ts";
import type { Message, Usage } from "../base/message/message.ts";
import type { ContextReport } from "../store/port/context-report.ts";
import type { PassageRecord } from "../store/port/passage-store.ts";
import { compactionFields, type RevisionRecord, storedMessageFields } from "../store/port/records.ts";

export const revertedFields = {
  /** The removed messages, oldest first. */
  messages: form.records(storedMessageFields),
  /** The reverted edits of core memory, newest first. */
  edits: form.objects<RevisionRecord>(),
  /** The passages that were deleted from archival memory, because only the removed messages had added them. */
  passages: form.objects<PassageRecord>(),
};

/** The removed messages and the reverted changes, committed in one transaction. */
export interface RevertedMemory extends RecordOf<typeof revertedFields> {}

export const compactionResultFields = {
  id: form.id,
  strategy: compactionFields.strategy,
  /** Number of messages that left the window. */
  messages: form.number,
  tokensBefore: form.number,
  tokensAfter: form.number,
  /** The summary; empty if the strategy makes none or the summarizer failed. */
  summary: form.text,
  /** Problems, one sentence each; empty if there were none. */
  warnings: form.texts,
};

/** The result of a compaction. `tokensBefore` and `tokensAfter` count the summaries and messages in the window. */
export interface CompactionResult extends RecordOf<typeof compactionResultFields> {}

export const undoneCompactionFields = {
  /** The undone compactions, oldest first: one, or several of the strategy `ring` that were committed together. */
  compactions: form.records(compactionFields),
  /** The restored messages, oldest first. */
  messages: form.records(storedMessageFields),
  tokensBefore: form.number,
  tokensAfter: form.number,
};

/** The result of undoing a compaction. `tokensBefore` and `tokensAfter` count the summaries and messages in the window. */
export interface UndoneCompaction extends RecordOf<typeof undoneCompactionFields> {}

export const toolDescriptionFields = {
  name: form.text,
  /** The description that the model gets. */
  description: form.text,
  /** What the tool's calls can change: only memory, or also something outside of it. */
  effects: form.choice("memory", "external"),
  /**
   * What makes the tool's calls wait for approval. `always`: the tool's definition; `setting`: the setting `approvals` or a
   * tool rule; `never`: nothing.
   */
  approval: form.choice("always", "setting", "never"),
};

export interface ToolDescription extends RecordOf<typeof toolDescriptionFields> {}

export const sideAnswerFields = { text: form.text, usage: form.object<Usage>() };

export interface SideAnswer extends RecordOf<typeof sideAnswerFields> {}

export const editedReplyFields = {
  /** The id of the message with the new text; the original message stays on a branch. */
  messageId: form.id,
  before: form.text,
  after: form.text,
};

/** A change of the text or the thought of the last reply. */
export interface EditedReply extends RecordOf<typeof editedReplyFields> {}

export const windowFields = {
  system: form.record({ instructions: form.text, memory: form.text }),
  messages: form.objects<Message>(),
  /** The lines of open files that no message shows yet, so that the next message will contain them; "" for none. */
  retrieved: form.text,
  /** The note on the agent's state (memory changes, time, counts) that the next request would contain; "" for none. */
  state: form.text,
  report: form.object<ContextReport>(),
};

/** A model request without its tools. */
export interface CompiledWindow extends RecordOf<typeof windowFields> {}
