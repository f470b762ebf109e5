// The object of a node memory, read and replaced through its row (ADR 17).
// Invariant: an object is written whole under a key of its own before the row names it, so whoever reads, and whenever a process
// dies, there is the old memory or the new one; a row that has moved on is not written over.
import { messageOf } from "../../base/error-message.ts";
import { StoreError } from "../../errors.ts";
import { readNodeBytes, nodeBytes } from "../../memory/node/node-bytes.ts";
import { invalidNode, type NodeMessage } from "../../memory/node/node-format.ts";
import { nodeKeyText } from "../../memory/node/node-key.ts";
import type { NodeKey, NodeMemoryRecord } from "../../memory/node-memory-store.ts";
import type { Objects } from "../../objects/objects.ts";
import type { OperationDeps } from "../operation-deps.ts";

export interface NodeState {
  /** Null: nothing was kept yet. */
  readonly record: NodeMemoryRecord | null;
  readonly messages: readonly NodeMessage[];
}

export interface NodeObject {
  /** Throws RequestError `node_memory_invalid`, StoreError. */
  read(): Promise<NodeState>;
  /** False, with nothing changed, when somebody else has written since the state was read. Throws StoreError. */
  replace(state: NodeState, messages: readonly NodeMessage[]): Promise<boolean>;
  delete(): Promise<void>;
}

export type NodeObjectParts = Pick<OperationDeps, "store" | "files" | "ids" | "clock" | "log">;

export function createNodeObject(parts: NodeObjectParts, key: NodeKey, compressAbove: number): NodeObject {
  const { nodeMemories } = parts.store;
  return {
    read: () => read(parts, key),
    async replace({ record }, messages) {
      const bytes = await nodeBytes(messages, compressAbove);
      const written = await write(parts, key, bytes);
      const change = { ...key, ...written, messages: messages.length, bytes: bytes.byteLength };
      const from = record?.revision ?? null;
      const isDone = await nodeMemories.replace({ ...change, updatedAt: parts.clock.now(), from });
      const left = isDone ? record : written;
      if (left !== null) await deleteLeft(parts, left);
      return isDone;
    },
    async delete() {
      const record = await nodeMemories.find(key);
      await nodeMemories.delete(key);
      if (record !== null) await deleteLeft(parts, record);
    },
  };
}

async function read(parts: NodeObjectParts, key: NodeKey): Promise<NodeState> {
  const { nodeMemories } = parts.store;
  let record = await nodeMemories.find(key);
  while (record !== null) {
    const bytes = await objectsAt(parts, record.place).get(record.objectKey);
    if (bytes !== null) return { record, messages: await readNodeBytes(bytes, nodeKeyText(key)) };
    // It was replaced between the two, or it is really gone.
    const again = await nodeMemories.find(key);
    if (again?.objectKey === record.objectKey) {
      throw invalidNode(nodeKeyText(key), `its object ${record.objectKey} is not in the ${record.place}`);
    }
    record = again;
  }
  return { record: null, messages: [] };
}

type Written = Pick<NodeMemoryRecord, "place" | "objectKey"> & { readonly data: Uint8Array | null };

/** In the database it is written with the row. Elsewhere the key is reserved first, so that nothing is left of a broken-off write. */
async function write({ store, files, ids }: NodeObjectParts, key: NodeKey, bytes: Uint8Array): Promise<Written> {
  const { place } = files.objects;
  const objectKey = `${ids.next()}/${nodeKeyText(key)}`;
  if (place === "database") return { place, objectKey, data: bytes };
  await store.nodeMemories.reserve(place, objectKey);
  await files.objects.create(objectKey, bytes);
  return { place, objectKey, data: null };
}

/** What no row names any more; it is noted as due, so a failure is made up for later. */
async function deleteLeft(
  parts: NodeObjectParts,
  { place, objectKey }: Pick<NodeMemoryRecord, "place" | "objectKey">,
): Promise<void> {
  if (place === "database" || place !== parts.files.objects.place) return;
  try {
    await parts.files.objects.delete(objectKey);
    await parts.store.attachments.deletionDone({ place, objectKey });
  } catch (error) {
    parts.log(
      `A part of a node memory that was replaced could not be deleted now, and will be later: ${messageOf(error)}`,
    );
  }
}

function objectsAt({ store, files }: NodeObjectParts, place: string): Objects {
  const found = [files.objects, store.objects].find((one) => one.place === place);
  if (found !== undefined) return found;
  throw new StoreError(
    "objects_failed",
    `A node memory is kept in the ${place}, and \`objects\` is set to another place: set it back to read it.`,
  );
}
