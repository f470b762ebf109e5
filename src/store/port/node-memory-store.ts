// The part of the store's port that records which object holds the memory of which node.
// Invariant: a row names one complete object. Objects are never overwritten: a change writes a new object, and the row
// is updated to name it.

import { form, type RecordOf } from "../../base/arguments/forms.ts";

const keyFields = {
  /** The application that the workflow belongs to. */
  app: form.text,
  /** The id of a conversation of the runtime, or an id that the application chose. */
  conversation: form.text,
  node: form.text,
};

/** Identifies a node. */
export interface NodeKey extends RecordOf<typeof keyFields> {}

/** Facts about a node memory, without its messages. */
export const nodeMemoryFields = {
  ...keyFields,
  /** Number of messages. */
  messages: form.ordinal,
  /** Size of the object in bytes. */
  bytes: form.ordinal,
  updatedAt: form.moment,
};

export interface NodeMemoryRecord extends RecordOf<typeof nodeMemoryFields> {
  readonly place: string;
  readonly objectKey: string;
  /** Number of writes so far, from 1. */
  readonly revision: number;
}

export interface NodeMemoryChange extends Omit<NodeMemoryRecord, "revision"> {
  /** The revision on which the change is based; null for a new node memory. */
  readonly from: number | null;
  /** The content, written in the same transaction, if the place is `database`; null if it was written elsewhere. */
  readonly data: Uint8Array | null;
}

export interface NodeMemoryStore {
  find(key: NodeKey): Promise<NodeMemoryRecord | null>;
  /** Call this before writing an object outside the database. Unless `replace` follows within a day, the object is deleted. */
  reserve(place: string, objectKey: string): Promise<void>;
  /**
   * Updates the row to name the new object, and marks the previous object for deletion. Returns false, with the row
   * unchanged, if the row has another revision.
   */
  replace(change: NodeMemoryChange): Promise<boolean>;
  delete(key: NodeKey): Promise<void>;
  /** Returns the memories that were not written since this time, longest unused first. */
  listUnused(since: Date): Promise<readonly NodeMemoryRecord[]>;
  /** Deletes the memories that were not written since this time, and returns them. */
  deleteUnused(since: Date): Promise<readonly NodeMemoryRecord[]>;
}
