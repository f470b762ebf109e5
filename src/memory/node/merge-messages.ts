// Merges the turns that several writers added to a node memory.
// Invariant: pure; no message is lost or duplicated, and the order follows parents and times, not who wrote first.
import { RequestError } from "../../errors.ts";
import type { NodeMessage } from "./node-format.ts";

/** One exchange: the user's message and one answer; a message can have several answers. */
export type NodeTurn = readonly [user: NodeMessage, answer: NodeMessage];

export interface Merge {
  /** Every parent before its children, otherwise by time and id. */
  readonly messages: readonly NodeMessage[];
  /** Number of new messages. */
  readonly added: number;
  /** Turns that cannot be added: one of their ids belongs to a different message. */
  readonly refused: readonly NodeTurn[];
}

export function mergeTurns(stored: readonly NodeMessage[], turns: readonly NodeTurn[]): Merge {
  const byId = new Map(stored.map((message) => [message.message_id, message]));
  const parents = new Set(stored.map((message) => message.parent_message_id));
  const refused = turns.filter((turn) => !addTurn({ byId, parents }, turn));
  return { messages: inOrder(byId), added: byId.size - stored.length, refused };
}

/** The error for a refused turn. */
export function refusedTurn([user]: NodeTurn): RequestError {
  return new RequestError(
    "input_invalid",
    `The turn ${JSON.stringify(user.message_id.slice(0, 100))} was not added: a message with its id has different text, files or ` +
      "another parent, or would be its own ancestor. Give each iteration and each answer an id of its own.",
  );
}

interface Tree {
  readonly byId: Map<string, NodeMessage>;
  /** Ids that messages name as their parent, whether such a message exists or not. */
  readonly parents: Set<string | null>;
}

function addTurn({ byId, parents }: Tree, turn: NodeTurn): boolean {
  const fits = turn.every((message) => {
    const known = byId.get(message.message_id);
    return known === undefined || isSame(known, message);
  });
  // A message without children cannot be its own ancestor.
  const hasChildren = turn.some((message) => parents.has(message.message_id));
  if (!fits || (hasChildren && isBelowItself(byId, turn))) return false;
  for (const message of turn) {
    if (!byId.has(message.message_id)) byId.set(message.message_id, message);
    parents.add(message.parent_message_id);
  }
  return true;
}

/** Ignores time and token count: those of the first writer are kept. */
function isSame(one: NodeMessage, other: NodeMessage): boolean {
  return said(one) === said(other);
}

function said({ role, content, parent_message_id: parent, files }: NodeMessage): string {
  const named = files.map((file) => [
    file.type,
    file.transfer_method,
    file.upload_file_id,
    file.tool_file_id,
    file.url,
  ]);
  return JSON.stringify([role, content, parent, named]);
}

/** A turn can arrive after the turns that follow it, if their writers were faster. */
function isBelowItself(byId: ReadonlyMap<string, NodeMessage>, [user, answer]: NodeTurn): boolean {
  const own = [user.message_id, answer.message_id];
  const seen = new Set<string>();
  let parent = user.parent_message_id;
  while (parent !== null && !seen.has(parent)) {
    if (own.includes(parent)) return true;
    seen.add(parent);
    parent = byId.get(parent)?.parent_message_id ?? null;
  }
  return false;
}

function inOrder(byId: ReadonlyMap<string, NodeMessage>): readonly NodeMessage[] {
  const times = new Map([...byId.values()].map((message) => [message, Date.parse(message.created_at)]));
  const byTime = [...byId.values()].toSorted(
    (one, other) => times.get(one)! - times.get(other)! || (one.message_id < other.message_id ? -1 : 1),
  );
  const placed = new Set<NodeMessage>();
  for (const message of byTime) {
    for (const ancestor of unplaced(byId, message, placed)) placed.add(ancestor);
  }
  return [...placed];
}

/** Returns the message and its ancestors that are not placed yet, oldest ancestor first. */
function unplaced(
  byId: ReadonlyMap<string, NodeMessage>,
  message: NodeMessage,
  placed: ReadonlySet<NodeMessage>,
): readonly NodeMessage[] {
  const line = new Set<NodeMessage>();
  let next: NodeMessage | undefined = message;
  while (next !== undefined && !placed.has(next) && !line.has(next)) {
    line.add(next);
    next = next.parent_message_id === null ? undefined : byId.get(next.parent_message_id);
  }
  return [...line].reverse();
}
