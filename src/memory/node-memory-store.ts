// The part of the store's port that knows which object holds which node's memory.
// Invariant: a row names one whole object. Objects are never written over: a change writes another, and the row moves to it.

/** Which node's. */
export interface NodeKey {
  /** The application whose workflow it is. */
  readonly app: string;
  /** The id of one of the runtime's conversations, or one of the application's own. */
  readonly conversation: string;
  readonly node: string;
}

export interface NodeMemoryRecord extends NodeKey {
  readonly place: string;
  readonly objectKey: string;
  /** How often it was written, from 1. */
  readonly revision: number;
  readonly messages: number;
  /** Of the object. */
  readonly bytes: number;
  readonly updatedAt: Date;
}

export interface NodeMemoryChange extends Omit<NodeMemoryRecord, "revision"> {
  /** The revision that it was made from; null: there was none. */
  readonly from: number | null;
  /** For the place `database`: the object is written in the same transaction. Null: it was written elsewhere. */
  readonly data: Uint8Array | null;
}

export interface NodeMemoryStore {
  find(key: NodeKey): Promise<NodeMemoryRecord | null>;
  /** Before an object is written outside of the database: if `replace` does not name it within a day, it is due for deletion. */
  reserve(place: string, objectKey: string): Promise<void>;
  /** Moves the row to another object; the one before is due for deletion. False, with the row as it is, when it has moved on. */
  replace(change: NodeMemoryChange): Promise<boolean>;
  delete(key: NodeKey): Promise<void>;
  /** Those that were not written since, longest ago first. */
  listUnused(since: Date): Promise<readonly NodeMemoryRecord[]>;
  /** Deletes those, and returns them. */
  deleteUnused(since: Date): Promise<readonly NodeMemoryRecord[]>;
}
