// Replaces the text or the thought of the last reply at the user's request, and switches to another message of the tree.
// Invariant: the previous reply stays as a branch; a refused edit changes nothing. A switch changes no memory and never
// separates a call from its result, because a call without a result would run again.
import { storableText } from "../../base/code-points.ts";
import { findOpenCalls, isInput } from "../approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { toolCallsOf } from "../../base/message/message.ts";
import type { EditedReply } from "../agent-results.ts";
import type { AgentDeps } from "../turn.ts";

export interface ReplyEdit {
  readonly part: "words" | "thought";
  readonly text: string;
  readonly lastMessageId?: string | null | undefined;
}

/** Throws RequestError `agent_busy` if `lastMessageId` is given and the window does not end with that message. */
export function requireLast(
  { messages }: Pick<AgentDeps["session"], "messages">,
  lastMessageId: string | null | undefined,
): void {
  if (lastMessageId === undefined || lastMessageId === (messages.at(-1)?.id ?? null)) return;
  throw new RequestError(
    "agent_busy",
    "Another process has changed this conversation since you read it. Nothing was changed: read its last messages, then try again.",
  );
}

/**
 * Replaces the text or the thought of the last reply, and returns the change. Requires the lease. Throws RequestError
 * `input_invalid`, `message_refused` or `agent_busy`, with nothing changed.
 */
export async function editReply(
  deps: Pick<AgentDeps, "session" | "protocol">,
  { part, text, lastMessageId }: ReplyEdit,
): Promise<EditedReply> {
  const words = storableText(text);
  if (words.trim() === "") {
    throw new RequestError(
      "input_invalid",
      "Expected a text for the last reply, got a blank one. Nothing was changed.",
    );
  }
  const { session, protocol } = deps;
  requireLast(session, lastMessageId);
  const message = lastReply(session.messages);
  const reworded =
    part === "words" ? protocol.rewritten(message.content, words) : protocol.rethought(message.content, words);
  if (reworded === null) throw nothingToChange(message, part);
  const { id } = await session.replace(message, reworded.content);
  return { messageId: id, before: reworded.before, after: words };
}

function lastReply(messages: readonly StoredMessage[]): StoredMessage {
  if (findOpenCalls(messages) !== null) {
    throw refused("The last reply has a tool call without a result: decide about the call, or resume the turn.");
  }
  const last = messages.findLast(
    (message) => isInput(message) || (message.role === "assistant" && message.kind === "message"),
  );
  if (last === undefined) throw refused("There is no reply in the window to change.");
  if (isInput(last)) throw refused("The last message is the user's and has no reply yet.");
  return last;
}

function nothingToChange(message: StoredMessage, part: ReplyEdit["part"]): RequestError {
  const calls = toolCallsOf(message).map(({ name }) => name);
  const instead = calls.length === 0 ? "" : ` It called ${[...new Set(calls)].join(", ")}.`;
  return refused(
    part === "words"
      ? `The last reply has no text for the user.${instead}`
      : `The last reply has no thought.${instead}`,
  );
}

function refused(message: string): RequestError {
  return new RequestError("message_refused", `${message} Nothing was changed.`);
}

/**
 * Moves the conversation to a message of its tree; null: to before the first message. Requires the lease. Throws
 * RequestError `message_not_found` or `message_refused`, with nothing changed.
 */
export async function switchTo(
  deps: Pick<AgentDeps, "conversationId" | "store" | "session" | "window">,
  messageId: string | null,
): Promise<void> {
  const { session, store, conversationId, window } = deps;
  if (messageId !== null && (await store.conversations.place(conversationId, messageId)).isBeforeResult) {
    throw new RequestError(
      "message_refused",
      "A tool result follows that message, and the switch would separate it from its call. Switch to a message after the results.",
    );
  }
  await session.move({ to: messageId, leftBehind: [], memory: "keep" });
  window.pressure.reset();
}
