// Selects the messages of a node memory that are on the thread of a message.
// Invariant: pure; each message of a thread follows its parent, and a thread contains at most one answer to a message.
import { extractThread, type ThreadNode } from "../../context/extract-thread.ts";
import type { NodeMessage } from "../../memory/node/node-format.ts";

export interface ThreadRequest {
  readonly current: string;
  /** The id of the previous exchange; null if the caller did not give it. */
  readonly parent: string | null;
  /** The ids of the current message's ancestors, oldest first; null if the message is unknown. */
  readonly lineage: readonly string[] | null;
}

/** Returns the messages on the thread, oldest first; empty if none is on it. */
export function nodeThread(messages: readonly NodeMessage[], request: ThreadRequest): readonly NodeMessage[] {
  const tree = treeOf(messages, request.lineage ?? []);
  const leafId = leafOf(tree, request);
  if (leafId === null) return [];
  const nodes = messages.map((message) => ({ id: message.message_id, parentId: parentIn(tree, message), message }));
  return extractThread<ThreadNode & { readonly message: NodeMessage }>(nodes, leafId).map(({ message }) => message);
}

interface Tree {
  readonly byId: ReadonlyMap<string, NodeMessage>;
  /** The ids of the answers with which the thread continues, keyed by the id of the answered user message. */
  readonly answers: ReadonlyMap<string, string>;
  readonly lineage: readonly string[];
}

function treeOf(messages: readonly NodeMessage[], lineage: readonly string[]): Tree {
  const onLineage = new Set(lineage);
  const answers = new Map<string, string>();
  for (const { role, message_id: id, parent_message_id: parent } of messages) {
    if (role !== "assistant" || parent === null) continue;
    const known = answers.get(parent);
    // Messages are in the order of their times, so the last answer is used, unless an earlier one is on the lineage.
    if (known === undefined || !onLineage.has(known)) answers.set(parent, id);
  }
  return { byId: new Map(messages.map((message) => [message.message_id, message])), answers, lineage };
}

function leafOf(tree: Tree, { current, parent, lineage }: ThreadRequest): string | null {
  for (const id of [current, parent]) {
    if (id !== null && tree.byId.has(id)) return exchangeEnd(tree, id);
  }
  if (lineage !== null) return lastOf(tree, lineage);
  return newestEnd(tree);
}

/** Returns the id of the last message without a child; null if there are no messages. */
function newestEnd(tree: Tree): string | null {
  const all = [...tree.byId.values()];
  const parents = new Set(all.map((message) => parentIn(tree, message)));
  return all.findLast(({ message_id: id }) => !parents.has(id))?.message_id ?? null;
}

function parentIn(tree: Tree, { role, message_id: id, parent_message_id: parent }: NodeMessage): string | null {
  if (parent === null) return null;
  // If the parent is the user message of the previous exchange, the answer to that message becomes the parent instead. The
  // parent of an answer is always its own question.
  if (tree.byId.has(parent)) return role === "user" ? exchangeEnd(tree, parent) : parent;
  // If the node took no part in the previous exchange, the parent is the last exchange in which the node took part.
  return lastOf(tree, tree.lineage.slice(0, Math.max(0, tree.lineage.indexOf(id))));
}

function exchangeEnd({ byId, answers }: Tree, id: string): string {
  return byId.get(id)?.role === "user" ? (answers.get(id) ?? id) : id;
}

function lastOf(tree: Tree, ids: readonly string[]): string | null {
  const last = ids.findLast((id) => tree.byId.has(id));
  return last === undefined ? null : exchangeEnd(tree, last);
}
