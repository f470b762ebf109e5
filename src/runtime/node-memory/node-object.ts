// Reads and replaces the object of a node memory through its row (ADR 17).
// Invariant: an object is written completely under a new key before the row references it, so readers see the old memory or the
// new one even if a process is killed; a row that another writer has changed is not overwritten.
import { messageOf } from "../../base/thrown-values.ts";
import { StoreError } from "../../base/errors.ts";
import { invalidNode, nodeBytes, nodeKeyText, type NodeMessage, readNodeBytes } from "../../memory/node/node-format.ts";
import type { NodeKey, NodeMemoryChange, NodeMemoryRecord } from "../../store/port/node-memory-store.ts";
import type { Objects } from "../../store/object-storage/objects.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

export interface NodeState {
  /** The row of the memory; null if nothing is stored yet. */
  readonly record: NodeMemoryRecord | null;
  readonly messages: readonly NodeMessage[];
}

export interface NodeObject {
  /** Reads the memory. Throws RequestError `node_memory_invalid` or StoreError. */
  read(): Promise<NodeState>;
  /** Replaces the messages. Returns false if another writer has changed the memory since the read. Throws StoreError. */
  replace(state: NodeState, messages: readonly NodeMessage[]): Promise<boolean>;
  delete(): Promise<void>;
}

export type NodeObjectDeps = Pick<OperationDeps, "store" | "files" | "ids" | "clock" | "log">;

export function createNodeObject(parts: NodeObjectDeps, key: NodeKey, compressAbove: number): NodeObject {
  const { nodeMemories } = parts.store;
  return {
    read: () => read(parts, key),
    async replace({ record }, messages) {
      const bytes = await nodeBytes(messages, compressAbove);
      const written = await writeNodeObject(parts, key, { bytes, isPreview: false });
      const change = { ...key, ...written, messages: messages.length, bytes: bytes.byteLength };
      const from = record?.revision ?? null;
      const isDone = await nodeMemories.replace({ ...change, updatedAt: parts.clock.now(), from });
      const left = isDone ? record : written;
      if (left !== null) await deleteUnreferenced(parts, left);
      return isDone;
    },
    async delete() {
      const record = await nodeMemories.find(key);
      await nodeMemories.delete(key);
      if (record !== null) await deleteUnreferenced(parts, record);
    },
  };
}

async function read(parts: NodeObjectDeps, key: NodeKey): Promise<NodeState> {
  const { nodeMemories } = parts.store;
  let record = await nodeMemories.find(key);
  while (record !== null) {
    const bytes = await objectsAt(parts, record.place).get(record.objectKey);
    if (bytes !== null) return { record, messages: await readNodeBytes(bytes, nodeKeyText(key)) };
    // Either the object was replaced after the row was read, or it is missing: reading the row again shows which.
    const again = await nodeMemories.find(key);
    if (again?.objectKey === record.objectKey) {
      throw invalidNode(nodeKeyText(key), `its object ${record.objectKey} is not in the ${record.place}`);
    }
    record = again;
  }
  return { record: null, messages: [] };
}

/**
 * Writes the object. In the database, it is written together with the row. In any other place, its key is reserved first, so
 * that the object of an interrupted write is deleted later. A preview writes nothing.
 */
export async function writeNodeObject(
  { store, files, ids }: Pick<NodeObjectDeps, "store" | "files" | "ids">,
  key: NodeKey,
  { bytes, isPreview }: { readonly bytes: Uint8Array; readonly isPreview: boolean },
): Promise<Pick<NodeMemoryChange, "place" | "objectKey" | "data">> {
  const { place } = files.objects;
  const objectKey = `${ids.next()}/${nodeKeyText(key)}`;
  if (place === "database") return { place, objectKey, data: bytes };
  if (!isPreview) {
    await store.nodeMemories.reserve(place, objectKey);
    await files.objects.create(objectKey, bytes);
  }
  return { place, objectKey, data: null };
}

/** Deletes an object that no row references any more. Its deletion is recorded as due, so a failure is retried later. */
async function deleteUnreferenced(
  parts: NodeObjectDeps,
  { place, objectKey }: Pick<NodeMemoryRecord, "place" | "objectKey">,
): Promise<void> {
  if (place === "database" || place !== parts.files.objects.place) return;
  try {
    await parts.files.objects.delete(objectKey);
    await parts.store.attachments.deletionDone({ place, objectKey });
  } catch (error) {
    parts.log(
      `A replaced object of a node memory could not be deleted now and will be deleted later: ${messageOf(error)}`,
    );
  }
}

function objectsAt({ store, files }: NodeObjectDeps, place: string): Objects {
  const found = [files.objects, store.objects].find((one) => one.place === place);
  if (found !== undefined) return found;
  throw new StoreError(
    "objects_failed",
    `Expected \`objects\` to be set to the ${place}, which holds this node memory, got another place. Change \`objects\` back to read the memory.`,
  );
}
