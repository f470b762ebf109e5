// Finds a thread in a list of messages that form a tree.
// Invariant: pure; each message of the result is the child of the previous one, and the last one is the leaf.
import { RequestError } from "../base/errors.ts";

/** The fields that make a message a node of a tree. */
export interface ThreadNode {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * Returns the leaf and its ancestors, oldest first, from a list in any order. The thread starts where a parent is missing,
 * because the list may be only the last part of a conversation. Throws RequestError `message_not_found` for a leaf that is
 * not in the list, `input_invalid` if an id occurs twice or a message is its own ancestor.
 */
export function extractThread<Node extends ThreadNode>(messages: readonly Node[], leafId: string): readonly Node[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  if (byId.size < messages.length) {
    throw new RequestError("input_invalid", "Expected messages with unique ids, got two messages with the same id.");
  }
  let message = byId.get(leafId);
  if (message === undefined)
    throw new RequestError(
      "message_not_found",
      "Expected the id of one of the messages as the leaf, got an id that no message has.",
    );
  const thread: Node[] = [];
  while (message !== undefined) {
    thread.push(message);
    if (thread.length > messages.length) {
      throw new RequestError("input_invalid", "Expected a tree of messages, got a message that is its own ancestor.");
    }
    message = message.parentId === null ? undefined : byId.get(message.parentId);
  }
  return thread.reverse();
}
