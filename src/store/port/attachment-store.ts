// The part of the store's port that records which files belong to which messages. The contents are in an `Objects`.
// Invariant: an attachment names its object from the reservation on, so the object is not deleted while it is being
// attached.
import type { FilePart } from "../../base/message/file-part.ts";

export interface NewAttachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly sha256: string;
}

export interface ReservedAttachment {
  readonly id: string;
  readonly objectKey: string;
  /** True if the content is already stored: another attachment of the user's has the same content. */
  readonly isStored: boolean;
}

/** Where the content of an attachment is, and what it is. */
export interface AttachmentObject {
  readonly conversationId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly place: string;
  readonly objectKey: string;
}

/** An object that no row names any more. */
export interface DueDeletion {
  readonly place: string;
  readonly objectKey: string;
}

/** A stored file, found by its id. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** The file part of its message; null if no message has it. */
  readonly part: FilePart | null;
}

export interface AttachmentFaults {
  /** Attachments of messages whose content was never stored completely, or is missing from the database. */
  readonly missing: number;
  /** Objects outside the database that are still to be deleted. */
  readonly due: number;
}

export interface AttachmentStore {
  /**
   * Creates attachments that belong to no message yet, and drops unclaimed ones older than a day. Throws RequestError
   * `conversation_not_found`. `place` names the object storage that holds their contents.
   */
  reserve(
    conversationId: string,
    place: string,
    files: readonly NewAttachment[],
  ): Promise<readonly ReservedAttachment[]>;
  /** Records that the objects were written completely. Only then can a message reference them. */
  markStored(ids: readonly string[]): Promise<void>;
  /** Returns null for an attachment that does not exist. */
  objectOf(id: string): Promise<AttachmentObject | null>;
  /** Returns the stored files among these ids, in any order. */
  filesOf(ids: readonly string[]): Promise<readonly StoredFile[]>;
  /** Deletes the attachments among these that belong to no message and to no queued input. */
  discard(ids: readonly string[]): Promise<void>;
  dueDeletions(place: string): Promise<readonly DueDeletion[]>;
  deletionDone(deletion: DueDeletion): Promise<void>;
  count(): Promise<AttachmentFaults>;
}
