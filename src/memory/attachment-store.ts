// The part of the store's port that knows which files stand on which messages. The contents are in an `Objects`.
// Invariant: an attachment names an object from its reservation on, so the object is not deleted while it is being attached.
import type { FilePart } from "../message/file-part.ts";

export interface NewAttachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Of the content, in hexadecimal digits. */
  readonly sha256: string;
}

export interface ReservedAttachment {
  readonly id: string;
  readonly objectKey: string;
  /** The content is there already: another attachment of the user's has the same. */
  readonly isStored: boolean;
}

/** An object that nothing names any more. */
export interface DueDeletion {
  readonly place: string;
  readonly objectKey: string;
}

/** A file that is stored, as it can be told by its id. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** As it stands in its message; null for one that no message has. */
  readonly part: FilePart | null;
}

export interface AttachmentFaults {
  /** Attachments of messages whose content was never stored as a whole, or is not in the database where it should be. */
  readonly missing: number;
  /** Objects outside of the database that are still to be deleted. */
  readonly due: number;
}

export interface AttachmentStore {
  /**
   * Makes attachments that belong to no message yet, and drops those that were forgotten for a day. Throws RequestError
   * `conversation_not_found`. `place`: of the objects in which their contents are.
   */
  reserve(
    conversationId: string,
    place: string,
    files: readonly NewAttachment[],
  ): Promise<readonly ReservedAttachment[]>;
  /** The objects were written as a whole. Only then can a message have them. */
  markStored(ids: readonly string[]): Promise<void>;
  /** Null for an attachment that does not exist. */
  objectOf(id: string): Promise<{ readonly place: string; readonly objectKey: string } | null>;
  /** Those of the ids that are stored, in any order. */
  filesOf(ids: readonly string[]): Promise<readonly StoredFile[]>;
  /** Drops those that belong to no message and to no input that waits. */
  discard(ids: readonly string[]): Promise<void>;
  dueDeletions(place: string): Promise<readonly DueDeletion[]>;
  deletionDone(deletion: DueDeletion): Promise<void>;
  count(): Promise<AttachmentFaults>;
}
