// Finds a thread in a list of messages that form a tree.
// Invariant: pure; each message of the result is the child of the one before it, and the last one is the leaf.
import { RequestError } from "../errors.ts";

/** What makes a message a node of a tree. */
export interface ThreadNode {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * The leaf and its ancestors, oldest first; in a list of any order. Where a parent is not in the list, the thread begins: a list
 * may be the last part of a conversation. Throws RequestError `message_not_found` for a leaf that is not in the list,
 * `input_invalid` where an id occurs twice or a message is its own ancestor.
 */
export function extractThread<Node extends ThreadNode>(messages: readonly Node[], leafId: string): readonly Node[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  if (byId.size < messages.length) {
    throw new RequestError("input_invalid", "Expected messages with an id each, got an id twice.");
  }
  let message = byId.get(leafId);
  if (message === undefined) throw new RequestError("message_not_found", "The leaf is not among the messages.");
  const thread: Node[] = [];
  while (message !== undefined) {
    thread.push(message);
    if (thread.length > messages.length) {
      throw new RequestError("input_invalid", "Expected a tree of messages, got one that is its own ancestor.");
    }
    message = message.parentId === null ? undefined : byId.get(message.parentId);
  }
  return thread.reverse();
}
