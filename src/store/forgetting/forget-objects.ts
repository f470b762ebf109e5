// Removes forgotten texts from objects: the files of messages, and node memories. The content of objects is searched
// before the transaction, because an object can be in another service.
// Invariant: nothing is forgotten if the user has an object that was not searched. Deletions outside of the database are
// recorded by triggers and carried out after the commit (ADR 9).
import type { ForgettableFile, ForgettableObjects, ForgottenPlace, SearchedObjects } from "../port/forgetting-store.ts";
import { replaceNode } from "../agents/node-memory-store.ts";
import type { Transaction } from "../connection/transaction.ts";
import { filesOf } from "../../base/message/message.ts";
import type { StoredMessage } from "../port/records.ts";
import { idsIn } from "../stored-values.ts";
import type { ForgettingWork } from "./forgetting-work.ts";

const storedFiles = `
select id, name, media_type as "mediaType", place, object_key as "objectKey" from attachments
where user_id = $1 and is_stored order by id`;

const storedNodes = `
select app, conversation, node, place, object_key as "objectKey", revision from node_memories
where user_id = $1 order by app, conversation, node`;

export async function readObjects(tx: Transaction, userId: string, lock = ""): Promise<ForgettableObjects> {
  return {
    files: await tx.run<ForgettableFile>(`${storedFiles} ${lock}`, [userId]),
    nodes: await tx.run(`${storedNodes} ${lock}`, [userId]),
  };
}

/** Locks the rows that name the user's objects, and returns whether all these objects were searched. */
export async function areSearched({ tx, userId }: ForgettingWork, { searched }: SearchedObjects): Promise<boolean> {
  const { files, nodes } = await readObjects(tx, userId, "for update");
  const known = new Set([...searched.files, ...searched.nodes].map(({ objectKey }) => objectKey));
  return [...files, ...nodes].every(({ objectKey }) => known.has(objectKey));
}

const contentsOfMessages = `
select content from messages
where user_id = $1 and id in (${idsIn("$2")})`;

const filesOfMessages = `
select id, name from attachments
where user_id = $1 and (message_id in (${idsIn("$2")}) or id in (${idsIn("$3")}))`;

/**
 * Returns the files of emptied messages. They are found by their rows and in the contents of messages, because a
 * message of a fork, or one that replaces another message, names a file whose row belongs to the original message.
 */
export async function filesOfEmptied({
  tx,
  userId,
  emptied,
}: Pick<ForgettingWork, "tx" | "userId" | "emptied">): Promise<ForgettingWork["removedFiles"]> {
  const ids = [...emptied];
  const messages = await tx.run<Pick<StoredMessage, "content">>(contentsOfMessages, [userId, ids]);
  const named = messages
    .flatMap(filesOf)
    .flatMap(({ location }) => (location.type === "attachment" ? [location.id] : []));
  return tx.run<Pick<ForgettableFile, "id" | "name">>(filesOfMessages, [userId, ids, named]);
}

export async function forgetFiles(
  { tx, userId, writes, attachments }: ForgettingWork,
  places: readonly ForgottenPlace[],
): Promise<readonly ForgottenPlace[]> {
  const remove = `delete from attachments where user_id = $1 and id in (${idsIn("$2")})`;
  if (writes && attachments.size > 0) await tx.run(remove, [userId, [...attachments]]);
  return places;
}

/**
 * Writes the changed node memories, and returns their places. The rows are locked, so each still has the revision that was
 * read.
 */
export async function forgetNodes(
  { tx, userId, writes }: ForgettingWork,
  nodes: SearchedObjects["nodes"],
): Promise<readonly ForgottenPlace[]> {
  for (const { change } of writes ? nodes : []) await replaceNode(tx, userId, change);
  return nodes.map(({ kind, id, excerpt, effect }) => ({ kind, id, excerpt, effect }));
}
