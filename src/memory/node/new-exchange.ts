// Converts an exchange that a program adds to messages of the node memory format.
// Invariant: the same exchange always gets the same ids, so adding it twice adds it once.
import { createHash } from "node:crypto";
import { RequestError } from "../../base/errors.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type { Message } from "../../base/message/message.ts";
import type { NodeExchange } from "./merge-messages.ts";
import { referenceTo } from "./node-files.ts";
import type { AddedExchange } from "./node-memory.ts";

export interface ExchangeDetails {
  readonly at: Date;
  readonly countTokens: (message: Message) => number;
}

/** Throws RequestError `input_invalid` for invalid ids and texts. */
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
      "Expected the ids of an exchange and of its parent to differ, got one twice.",
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

/** Derived from the content: another answer to the same message is another message. */
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
