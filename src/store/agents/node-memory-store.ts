// Records the object that holds each node memory.
// Invariant: a row is updated by compare-and-swap on its revision, so no writer overwrites the change of another writer.
import type { NodeMemoryChange, NodeMemoryRecord, NodeMemoryStore } from "../port/node-memory-store.ts";
import { ensureUser } from "../own-rows.ts";
import { writeObject } from "../objects/object-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import type { SqlParameter } from "../stored-values.ts";

export function createNodeMemoryStore({ userId, transaction }: UserContext): NodeMemoryStore {
  const records = (statement: string, ...parameters: readonly SqlParameter[]) =>
    transaction((tx) => tx.run<NodeMemoryRecord>(statement, [userId, ...parameters]));
  return {
    find: async ({ app, conversation, node }) => (await records(findNode, app, conversation, node))[0] ?? null,
    reserve: (place, objectKey) =>
      transaction(async (tx) => void (await tx.run(reserveObject, [userId, place, objectKey]))),
    replace: (change) => transaction((tx) => replaceNode(tx, userId, change)),
    delete: ({ app, conversation, node }) =>
      transaction(async (tx) => void (await tx.run(deleteNode, [userId, app, conversation, node]))),
    listUnused: (since) => records(listUnused, since),
    deleteUnused: async (since) => (await records(deleteUnused, since)).toSorted(byUse),
  };
}

const columns = `app, conversation, node, place, object_key as "objectKey", revision, messages, bytes, updated_at as "updatedAt"`;
const ofKey = "where user_id = $1 and app = $2 and conversation = $3 and node = $4";
const unused = "where user_id = $1 and updated_at < $2::timestamptz";

const findNode = `select ${columns} from node_memories ${ofKey}`;
const lockNode = `select revision from node_memories ${ofKey} for update`;
const deleteNode = `delete from node_memories ${ofKey}`;
const listUnused = `select ${columns} from node_memories ${unused} order by updated_at, app, conversation, node`;
const deleteUnused = `delete from node_memories ${unused} returning ${columns}`;

const reserveObject = `
insert into object_deletions (user_id, place, object_key, due_at) values ($1, $2, $3, now() + interval '1 day')`;

/** Deletes an object's reservation. Keeps one that is due within an hour: a process may already be deleting the object. */
const takeReservation = `
delete from object_deletions
where user_id = $1 and place = $2 and object_key = $3 and due_at > now() + interval '1 hour' returning 1`;

const releaseObject = `
insert into object_deletions (user_id, place, object_key) values ($1, $2, $3)
on conflict (user_id, place, object_key) do update set due_at = excluded.due_at`;

const insertNode = `
insert into node_memories (user_id, app, conversation, node, place, object_key, messages, bytes, updated_at, revision)
values ($1, $2, $3, $4, $5, $6, $7::int, $8::int, $9::timestamptz, $10::int)
on conflict do nothing returning 1`;

const updateNode = `
update node_memories
set place = $5, object_key = $6, messages = $7::int, bytes = $8::int, updated_at = $9::timestamptz, revision = $10::int
${ofKey} returning 1`;

/** Replaces a node memory like `NodeMemoryStore.replace`, in the caller's transaction. */
export async function replaceNode(tx: Transaction, userId: string, change: NodeMemoryChange): Promise<boolean> {
  const { place, objectKey, data } = change;
  await ensureUser(tx, userId);
  const isDone = await moveRow(tx, userId, change);
  if (data === null && !isDone) await tx.run(releaseObject, [userId, place, objectKey]);
  if (data !== null && isDone) await writeObject(tx, userId, { key: objectKey, bytes: data });
  return isDone;
}

async function moveRow(tx: Transaction, userId: string, change: NodeMemoryChange): Promise<boolean> {
  const { app, conversation, node, place, objectKey, messages, bytes, updatedAt, from, data } = change;
  const key = [userId, app, conversation, node];
  const [row] = await tx.run<{ readonly revision: number }>(lockNode, key);
  if ((row?.revision ?? null) !== from) return false;
  if (data === null && (await tx.run(takeReservation, [userId, place, objectKey])).length === 0) return false;
  const written = [...key, place, objectKey, messages, bytes, updatedAt, (from ?? 0) + 1];
  return (await tx.run(from === null ? insertNode : updateNode, written)).length > 0;
}

function byUse(one: NodeMemoryRecord, other: NodeMemoryRecord): number {
  return one.updatedAt.getTime() - other.updatedAt.getTime() || (one.objectKey < other.objectKey ? -1 : 1);
}
