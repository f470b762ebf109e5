// The part of the store's port that records which files belong to which messages. The contents are in an `Objects`.
// Invariant: a reserved attachment already refers to its object, which therefore is not deleted before the message is stored.
import type { FilePart } from "../../base/message/file-part.ts";

export interface NewAttachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Size in bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly sha256: string;
}

export interface ReservedAttachment {
  readonly id: string;
  readonly objectKey: string;
  /** True if the content is already stored because another attachment of the user has the same content. */
  readonly isStored: boolean;
}

/** The name and the type of an attachment, and the location of its content. */
export interface AttachmentObject {
  readonly conversationId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly place: string;
  readonly objectKey: string;
}

/** An object that no row names any more, and that is to be deleted. */
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
  /** The part of a message that names the file; null if no message does. */
  readonly part: FilePart | null;
}

export interface AttachmentFaults {
  /** Number of attachments that have a message but no complete content: it was never stored, or is missing. */
  readonly missing: number;
  /** Number of objects outside the database that are still to be deleted. */
  readonly due: number;
}

export interface AttachmentStore {
  /**
   * Creates attachments that belong to no message yet, with contents in the object storage `place`. Deletes attachments
   * older than a day that belong to no message or queued input. Throws RequestError `conversation_not_found`.
   */
  reserve(
    conversationId: string,
    place: string,
    files: readonly NewAttachment[],
  ): Promise<readonly ReservedAttachment[]>;
  /** Records that the objects were written completely. Only then can a message reference them. */
  markStored(ids: readonly string[]): Promise<void>;
  /** Returns the name, type and object of an attachment; null if there is no such attachment. */
  objectOf(id: string): Promise<AttachmentObject | null>;
  /** Returns the stored files among these ids, in any order. */
  filesOf(ids: readonly string[]): Promise<readonly StoredFile[]>;
  /** Deletes those of the given attachments that belong to no message and to no queued input. */
  discard(ids: readonly string[]): Promise<void>;
  dueDeletions(place: string): Promise<readonly DueDeletion[]>;
  deletionDone(deletion: DueDeletion): Promise<void>;
  count(): Promise<AttachmentFaults>;
}
