// The part of the store's port that forgets: removes content from every place that can hold it, permanently.
// Invariant: a forgetting is applied in one transaction with its record, which contains no content; no other user's rows are
// read or changed.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { NodeKey, NodeMemoryChange } from "./node-memory-store.ts";

/** The content to be forgotten. */
export interface ForgettingRequest {
  /** Texts that are removed everywhere, ignoring case and the white space between their words. */
  readonly texts: readonly string[];
  /** Ids of messages to empty and of passages to remove, with all copies of their text. */
  readonly messages: readonly string[];
  readonly passages: readonly string[];
  /** Whether to keep the messages of the turns that requested the forgetting, and lines in which only a name would remain. */
  readonly exact?: boolean;
  /** Fixed texts of the runtime. A column whose whole value is one of these is kept, because no user wrote it. */
  readonly kept?: readonly string[];
}

/** The kinds of places that can hold a user's text. */
export type ForgottenKind = ForgottenPlace["kind"];

/** A place that holds content to be forgotten. */
export const forgottenPlaceFields = {
  kind: form.choice(
    "message",
    "passage",
    "module",
    "revision",
    "summary",
    "prompt",
    "synopsis",
    "input",
    "events",
    "attachment",
    "node-memory",
    "other",
  ),
  /** Names the place: a message's id, a module's label, or a table and a column, such as `schedules: text`. */
  id: form.text,
  /** The content with some words around it, on one line; null if the place only has a text made from it, such as a summary. */
  excerpt: form.nullable(form.text),
  /**
   * `removed`: the row or object is deleted; `emptied`: a message keeps only its place in the conversation; `redacted`: the
   * text in it is replaced; `undone`: a text that was made from others, such as a summary, is made again from what remains.
   */
  effect: form.choice("removed", "emptied", "redacted", "undone"),
};

export interface ForgottenPlace extends RecordOf<typeof forgottenPlaceFields> {}

/** Who requested a forgetting: the user, a program through the API, or the model with the user's approval. */
export const forgettingOrigin = form.choice("user", "api", "model");

export type ForgettingOrigin = "user" | "api" | "model";

/** The record of a forgetting, without the content. */
export const forgettingFields = {
  id: form.id,
  origin: forgettingOrigin,
  requestedAt: form.moment,
  /** When the content was removed; null while the forgetting waits for the end of the turn in which the model requested it. */
  appliedAt: form.nullable(form.moment),
  /** Number of places by kind. */
  counts: form.object<Readonly<Partial<Record<ForgottenKind, number>>>>(),
};

export interface ForgettingRecord extends RecordOf<typeof forgettingFields> {}

/** A forgetting that the model requested, and that is applied when the model's turn ends. */
export interface PendingForgetting {
  readonly id: string;
  readonly texts: readonly string[];
}

/** The content of an attachment, which the store itself cannot search. */
export interface ForgettableFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly place: string;
  readonly objectKey: string;
}

export interface ForgettableNode extends NodeKey {
  readonly place: string;
  readonly objectKey: string;
  readonly revision: number;
}

/** The objects of a user. Their content is searched before the transaction that forgets. */
export interface ForgettableObjects {
  readonly files: readonly ForgettableFile[];
  readonly nodes: readonly ForgettableNode[];
}

/** What a search of the objects found. */
export interface SearchedObjects {
  /** All objects that were searched. The forgetting is refused if the user has further objects when it is applied. */
  readonly searched: ForgettableObjects;
  /** Attachments to remove. */
  readonly files: readonly (ForgottenPlace & { readonly attachmentId: string })[];
  /** Changes of node memories that remove the content. New objects outside the database are already reserved and written. */
  readonly nodes: readonly (ForgottenPlace & { readonly change: NodeMemoryChange })[];
}

export interface Forgetting {
  readonly request: ForgettingRequest;
  readonly objects: SearchedObjects;
  readonly record: Pick<ForgettingRecord, "id" | "origin" | "requestedAt">;
  /** Ids of deferred forgettings that this one carries out. */
  readonly pending: readonly string[];
}

export interface ForgettingStore {
  /**
   * Returns all texts to remove: those of the request, the copies of its messages and passages, and the lines in which
   * only a name would remain. Throws RequestError `message_not_found` or `passage_not_found`.
   */
  textsOf(request: ForgettingRequest): Promise<readonly string[]>;
  /** Returns the objects whose content can hold text. */
  objects(): Promise<ForgettableObjects>;
  /** Returns every place that holds content to be forgotten. Changes nothing. */
  find(request: ForgettingRequest, objects: SearchedObjects): Promise<readonly ForgottenPlace[]>;
  /**
   * Removes the content from every place, interrupts the user's running turns, and stores the record. Returns the places; null,
   * with nothing changed, if there are objects that were not searched.
   */
  apply(forgetting: Forgetting): Promise<readonly ForgottenPlace[] | null>;
  /** Stores a forgetting, to be applied when the turn ends. Does nothing if a forgetting with that id exists. */
  defer(pending: PendingForgetting, origin: ForgettingOrigin): Promise<void>;
  /** Returns the deferred forgettings that are not applied yet, oldest first. */
  pending(): Promise<readonly PendingForgetting[]>;
  /** Returns the number of applied forgettings. If it has grown, a process must reload what it has read of the user's data. */
  count(): Promise<number>;
  /** Returns the records, newest first. */
  list(limit: number): Promise<readonly ForgettingRecord[]>;
}
