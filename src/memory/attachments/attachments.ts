// Stores the files of messages and loads them again. A message contains only a reference to the stored content of a
// file.
// Invariant: all files of a message are read and validated before anything is written; a file that a message names is
// stored completely; a due deletion stays recorded until its object is gone, so an interrupted deletion is retried
// later (ADR 9).
import { createHash } from "node:crypto";
import type { Ids } from "../../base/ids.ts";
import { type FileInput, type FileMetadata, type FilePart, isText } from "../../base/message/file-part.ts";
import type { Objects } from "../../store/object-storage/objects.ts";
import type { AttachmentStore, NewAttachment } from "../../store/port/attachment-store.ts";

/** A file that was read: with its content, or with the URL of a file that is not copied. */
export type ReadFile = { readonly facts: FileMetadata } & ({ readonly data: Uint8Array } | { readonly url: string });

export interface Attachments {
  /**
   * Stores files for a message of this conversation that is not committed yet. Throws RequestError `file_unreadable`,
   * `file_invalid` or `file_too_large`, with nothing written.
   */
  keep(conversationId: string, inputs: readonly FileInput[]): Promise<readonly FilePart[]>;
  /** Returns the content of an attachment; null if it was deleted. */
  load(file: FilePart): Promise<Uint8Array | null>;
  /** Drops the stored files of a message that could not be committed. */
  discard(files: readonly FilePart[]): Promise<void>;
}

export interface AttachmentsOptions {
  readonly store: AttachmentStore;
  /** The object storage for new contents. */
  readonly objects: Objects;
  /** The database, which may hold contents that were stored before another object storage was configured. */
  readonly database: Objects;
  readonly read: (inputs: readonly FileInput[]) => Promise<readonly ReadFile[]>;
  readonly countTokens: (text: string) => number;
  readonly ids: Ids;
}

export function createAttachments(options: AttachmentsOptions): Attachments {
  const { store, objects, database, read } = options;
  const placeOf = (place: string): Objects | null => [objects, database].find((one) => one.place === place) ?? null;
  return {
    async keep(conversationId, inputs) {
      if (inputs.length === 0) return [];
      const files = await read(inputs);
      const named = files.map((file) => ({ file, part: partOf(file, options) }));
      const contents = named.flatMap(({ file, part }) => ("data" in file ? [contentOf(part, file.data)] : []));
      if (contents.length > 0) await storeContents(options, conversationId, contents);
      return named.map(({ part }) => part);
    },
    async load({ location }) {
      const object = location.type === "attachment" ? await store.objectOf(location.id) : null;
      return object === null ? null : ((await placeOf(object.place)?.get(object.objectKey)) ?? null);
    },
    async discard(files) {
      const ids = files.flatMap(({ location }) => (location.type === "attachment" ? [location.id] : []));
      if (ids.length > 0) await store.discard(ids);
    },
  };
}

function partOf(file: ReadFile, { ids, countTokens }: AttachmentsOptions): FilePart {
  if ("url" in file) return { type: "file", location: { type: "url", url: file.url }, ...file.facts };
  const part: FilePart = { type: "file", location: { type: "attachment", id: ids.next() }, ...file.facts };
  return isText(part) ? { ...part, textTokens: countTokens(new TextDecoder().decode(file.data)) } : part;
}

interface Content extends NewAttachment {
  readonly data: Uint8Array;
}

function contentOf({ location, name, mediaType }: FilePart, data: Uint8Array): Content {
  const sha256 = createHash("sha256").update(data).digest("hex");
  return {
    id: location.type === "attachment" ? location.id : "",
    name,
    mediaType,
    size: data.byteLength,
    sha256,
    data,
  };
}

/**
 * Stores contents. Reserves the attachments first: a reserved attachment names its object, so a concurrent clean-up does not
 * delete the object.
 */
async function storeContents(
  { store, objects }: AttachmentsOptions,
  conversationId: string,
  contents: readonly Content[],
): Promise<void> {
  const files = contents.map(({ data: _data, ...file }) => file);
  const reserved = await store.reserve(conversationId, objects.place, files);
  try {
    for (const { id, objectKey, isStored } of reserved) {
      // A stored object outside the database can be lost, or be in a former folder: `create` restores it if needed.
      if (!isStored || objects.place !== "database")
        await objects.create(objectKey, contents.find((content) => content.id === id)!.data);
    }
    await store.markStored(reserved.map(({ id }) => id));
  } catch (error) {
    // If the discard fails, too, the reservations are dropped after a day. The caller gets the first error.
    await store.discard(reserved.map(({ id }) => id)).catch(() => undefined);
    throw error;
  }
}

/** Deletes the objects of all due deletions. Throws the errors of store and objects; the remaining deletions stay due. */
export async function carryOutDeletions(store: AttachmentStore, objects: Objects): Promise<void> {
  if (objects.place === "database") return;
  for (const deletion of await store.dueDeletions(objects.place)) {
    await objects.delete(deletion.objectKey);
    await store.deletionDone(deletion);
  }
}
