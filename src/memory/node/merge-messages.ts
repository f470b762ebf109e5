// Merges the exchanges that several writers added to a node memory, and converts the exchange that a program adds.
// Invariant: no message is lost or duplicated, and the order depends on parents and times, not on which writer was first; the
// same exchange always gets the same ids, so adding it twice adds it once.
import { createHash } from "node:crypto";
import { RequestError } from "../../base/errors.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type { Message } from "../../base/message/message.ts";
import { referenceTo } from "./node-files.ts";
import type { NodeMessage } from "./node-format.ts";
import type { AddedExchange } from "./node-memory.ts";

/** One exchange: the user's message and one answer; a message can have several answers. */
export type NodeExchange = readonly [user: NodeMessage, answer: NodeMessage];

export interface Merge {
  /** Ordered by time and id, but every parent before its children. */
  readonly messages: readonly NodeMessage[];
  /** Number of new messages. */
  readonly added: number;
  /** Exchanges that cannot be added, for example because one of their ids belongs to a different message. */
  readonly refused: readonly NodeExchange[];
}

export function mergeExchanges(stored: readonly NodeMessage[], exchanges: readonly NodeExchange[]): Merge {
  const byId = new Map(stored.map((message) => [message.message_id, message]));
  const parents = new Set(stored.map((message) => message.parent_message_id));
  const refused = exchanges.filter((exchange) => !addExchange({ byId, parents }, exchange));
  return { messages: inOrder(byId), added: byId.size - stored.length, refused };
}

/** Returns the error for a refused exchange. */
export function refusedExchange([user]: NodeExchange): RequestError {
  return new RequestError(
    "input_invalid",
    `The exchange ${JSON.stringify(user.message_id.slice(0, 100))} was not added: another message with the same id has a different ` +
      "text, file or parent, or the exchange would be its own ancestor. Give each iteration and each answer its own id.",
  );
}

interface Tree {
  readonly byId: Map<string, NodeMessage>;
  /** Ids that messages name as their parent, whether such a message exists or not. */
  readonly parents: Set<string | null>;
}

function addExchange({ byId, parents }: Tree, exchange: NodeExchange): boolean {
  const fits = exchange.every((message) => {
    const known = byId.get(message.message_id);
    // Times and token counts are not compared: those of the first writer are kept.
    return known === undefined || comparable(known) === comparable(message);
  });
  // Only a message that already has children can become its own ancestor, so only such a message is checked.
  const hasChildren = exchange.some((message) => parents.has(message.message_id));
  if (!fits || (hasChildren && isBelowItself(byId, exchange))) return false;
  for (const message of exchange) {
    if (!byId.has(message.message_id)) byId.set(message.message_id, message);
    parents.add(message.parent_message_id);
  }
  return true;
}

function comparable({ role, content, parent_message_id: parent, files }: NodeMessage): string {
  const named = files.map((file) => [
    file.type,
    file.transfer_method,
    file.upload_file_id,
    file.tool_file_id,
    file.url,
  ]);
  return JSON.stringify([role, content, parent, named]);
}

/**
 * Returns whether an exchange would be its own ancestor. An exchange can arrive after the exchanges that follow it, if their
 * writers were faster.
 */
function isBelowItself(byId: ReadonlyMap<string, NodeMessage>, [user, answer]: NodeExchange): boolean {
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

interface ExchangeDetails {
  readonly at: Date;
  readonly countTokens: (message: Message) => number;
}

/** Returns the messages of an exchange. Throws RequestError `input_invalid` for invalid ids and texts. */
export function newExchange(added: AddedExchange, { at, countTokens }: ExchangeDetails): NodeExchange {
  const { messageId, parentMessageId, userContent, userFiles = [], assistantContent, assistantFiles = [] } = added;
  requireId("messageId", messageId);
  if (parentMessageId !== null) requireId("parentMessageId", parentMessageId);
  requireText("userContent", userContent);
  requireText("assistantContent", assistantContent);
  const assistantMessageId = added.assistantMessageId ?? answerId(added);
  requireId("assistantMessageId", assistantMessageId);
  if (new Set([messageId, assistantMessageId, parentMessageId]).size < 3) {
    throw new RequestError(
      "input_invalid",
      "Expected different ids for the two messages of an exchange and their parent, got the same id twice.",
    );
  }
  const created = at.toISOString();
  const message = (role: "user" | "assistant", text: string, files: readonly FilePart[]) => ({
    role,
    content: text,
    files: files.map((file) => referenceTo(file, role)),
    token_count: countTokens({ role, content: [{ type: "text", text }, ...files] }),
    created_at: created,
  });
  return [
    { message_id: messageId, parent_message_id: parentMessageId, ...message("user", userContent, userFiles) },
    {
      message_id: assistantMessageId,
      parent_message_id: messageId,
      ...message("assistant", assistantContent, assistantFiles),
    },
  ];
}

/** Returns the id of an answer, derived from its content, so that two answers to one message have different ids. */
function answerId({ messageId, assistantContent, assistantFiles = [] }: AddedExchange): string {
  const answered = JSON.stringify([assistantContent, assistantFiles.map(({ location }) => location)]);
  return `${messageId}.${createHash("sha256").update(answered).digest("hex").slice(0, 12)}`;
}

function requireId(name: string, id: unknown): void {
  if (typeof id === "string" && id !== "") return;
  const came = id === "" ? "an empty text" : typeof id;
  throw new RequestError("input_invalid", `Expected \`${name}\` to be a non-empty string, got ${came}.`);
}

function requireText(name: string, text: unknown): void {
  if (typeof text === "string") return;
  throw new RequestError("input_invalid", `Expected \`${name}\` to be a string, got ${typeof text}.`);
}
