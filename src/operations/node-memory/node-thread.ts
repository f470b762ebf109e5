// Which messages of a node memory are on the thread of a message.
// Invariant: pure; each message of a thread comes after its parent, and of several answers to one message one is on it.
import { extractThread, type ThreadNode } from "../../context/extract-thread.ts";
import type { NodeMessage } from "../../memory/node/node-format.ts";

export interface ThreadRequest {
  readonly current: string;
  /** The turn before it; null: not told. */
  readonly parent: string | null;
  /** The ids on the way to the current message, oldest first; null when nothing is known of it. */
  readonly lineage: readonly string[] | null;
}

/** Oldest first; empty when nothing of the memory is on it. */
export function nodeThread(messages: readonly NodeMessage[], request: ThreadRequest): readonly NodeMessage[] {
  const tree = treeOf(messages, request.lineage ?? []);
  const leafId = leafOf(tree, request);
  if (leafId === null) return [];
  const nodes = messages.map((message) => ({ id: message.message_id, parentId: parentIn(tree, message), message }));
  return extractThread<ThreadNode & { readonly message: NodeMessage }>(nodes, leafId).map(({ message }) => message);
}

interface Tree {
  readonly byId: ReadonlyMap<string, NodeMessage>;
  /** For a user's message: the answer that the thread goes on with. */
  readonly answers: ReadonlyMap<string, string>;
  readonly lineage: readonly string[];
}

function treeOf(messages: readonly NodeMessage[], lineage: readonly string[]): Tree {
  const onLineage = new Set(lineage);
  const answers = new Map<string, string>();
  for (const { role, message_id: id, parent_message_id: parent } of messages) {
    if (role !== "assistant" || parent === null) continue;
    const known = answers.get(parent);
    // Messages come in the order of their times: the last answer counts, unless another is on the way.
    if (known === undefined || !onLineage.has(known)) answers.set(parent, id);
  }
  return { byId: new Map(messages.map((message) => [message.message_id, message])), answers, lineage };
}

function leafOf(tree: Tree, { current, parent, lineage }: ThreadRequest): string | null {
  for (const id of [current, parent]) {
    if (id !== null && tree.byId.has(id)) return turnEnd(tree, id);
  }
  if (lineage !== null) return lastOf(tree, lineage);
  return newestEnd(tree);
}

/** The last message that no other comes after. */
function newestEnd(tree: Tree): string | null {
  const all = [...tree.byId.values()];
  const parents = new Set(all.map((message) => parentIn(tree, message)));
  return all.findLast(({ message_id: id }) => !parents.has(id))?.message_id ?? null;
}

function parentIn(tree: Tree, { role, message_id: id, parent_message_id: parent }: NodeMessage): string | null {
  if (parent === null) return null;
  // A turn before may be named by its user's message, and an answer is always that of its own.
  if (tree.byId.has(parent)) return role === "user" ? turnEnd(tree, parent) : parent;
  // The node had no part in the turn before.
  return lastOf(tree, tree.lineage.slice(0, Math.max(0, tree.lineage.indexOf(id))));
}

function turnEnd({ byId, answers }: Tree, id: string): string {
  return byId.get(id)?.role === "user" ? (answers.get(id) ?? id) : id;
}

function lastOf(tree: Tree, ids: readonly string[]): string | null {
  const last = ids.findLast((id) => tree.byId.has(id));
  return last === undefined ? null : turnEnd(tree, last);
}
