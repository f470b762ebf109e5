// Converts messages between rows and records.
// Invariant: only texts of the user and the assistant have `search_text`: not events, system messages, tool results or empty
// texts.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../port/records.ts";
import { foldText } from "../../base/fold-text.ts";
import { indexedTerms } from "../search/lexical-terms.ts";
import { timeOf, timeText } from "../stored-values.ts";

const columns = "id parent_id turn_id role speaker kind status content text tokens trust created_at".split(" ");

/** SQL: the columns of a message. `row`: the name or alias of the table. */
export function messageColumns(row: string): string {
  return columns.map((column) => `${row}.${column}`).join(", ");
}

type SameFields = "id" | "role" | "kind" | "status" | "content" | "text" | "tokens" | "trust";

export interface MessageRow extends Pick<StoredMessage, SameFields> {
  readonly parent_id: string | null;
  readonly turn_id: string;
  readonly speaker?: string | null;
  /** When the message was created; a string if the row was read as JSON. */
  readonly created_at: Date | string;
  /** The state entry; absent unless the row was read as part of a window. */
  readonly stated?: StoredMessage["stated"] | null;
}

export function messageOfRow(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    parentId: row.parent_id,
    turnId: row.turn_id,
    role: row.role,
    ...(row.speaker === undefined || row.speaker === null ? {} : { speaker: row.speaker }),
    kind: row.kind,
    status: row.status,
    content: row.content,
    text: row.text,
    tokens: row.tokens,
    trust: row.trust,
    at: timeOf(row.created_at),
    ...(row.stated === undefined || row.stated === null ? {} : { stated: row.stated }),
  };
}

/**
 * Returns messages as rows for `appendMessages`. Throws RequestError `input_invalid` unless each message's parent is the
 * message before it.
 */
export function rowsOfMessages(
  messages: readonly StoredMessage[],
  leafId: string | null,
): readonly (ReturnType<typeof rowOfMessage> & { readonly number: number })[] {
  let parentId = leafId;
  const rows = messages.map((message, index) => {
    if (message.parentId !== parentId) {
      throw new RequestError(
        "input_invalid",
        `Expected each message to follow the previous one, got message ${index + 1} with another parent.`,
      );
    }
    parentId = message.id;
    return { ...rowOfMessage(message), number: index + 1 };
  });
  if (rows.length === 0) throw new RequestError("input_invalid", "Expected at least one message to store, got none.");
  return rows;
}

/** Returns the values of a message's columns, except those of its user, agent, conversation and position. */
export function rowOfMessage(message: StoredMessage) {
  const searchText = searchTextOf(message);
  const { at, speaker = null, stated = null, ...stored } = message;
  return {
    ...stored,
    speaker,
    stated,
    author: authorOf(message),
    searchText,
    terms: searchText === null ? null : indexedTerms(searchText),
    createdAt: timeText(at),
  };
}

function authorOf(message: StoredMessage): "user" | "model" | "tool" | "runtime" | "program" {
  if (message.kind === "event") return "runtime";
  if (message.kind === "system") return "program";
  if (message.role === "user") return "user";
  return message.role === "assistant" ? "model" : "tool";
}

function searchTextOf(message: StoredMessage): string | null {
  if (message.kind !== "message" || message.role === "tool" || storableText(message.text).trim() === "") return null;
  return foldText(message.text);
}
