// Where an answer is made again: from which message of the thread, and what that leaves behind.
// Invariant: nothing is changed here; what is above a reply stays, and its input is what the new answer answers.
import { isInput } from "../../context/window/unfinished-turn.ts";
import { RequestError } from "../../errors.ts";
import type { MessageLocation, StoredMessage } from "../../memory/records.ts";
import type { ThreadMove } from "./move-thread.ts";
import type { AgentDeps } from "../turn.ts";

export interface Repeatable extends Pick<ThreadMove, "to" | "leftBehind"> {
  /** The message of the user's that is answered. */
  readonly input: StoredMessage;
}

/** Throws RequestError `message_not_found` off the thread, `message_refused` for what is neither an input nor a reply. */
export async function findRepeatable(
  deps: Pick<AgentDeps, "conversationId" | "store">,
  messageId: string,
): Promise<Repeatable> {
  const { store, conversationId } = deps;
  const place = await store.conversations.place(conversationId, messageId);
  const { message, after } = place;
  if (!place.onThread) {
    const advice = "Switch to its branch first.";
    throw new RequestError(
      "message_not_found",
      `That message is on a branch that the conversation has left. ${advice}`,
    );
  }
  if (isInput(message)) return { input: message, to: message.id, leftBehind: after };
  return { input: await inputOf(deps, place), to: message.parentId, leftBehind: [message.id, ...after] };
}

async function inputOf(
  { store, conversationId }: Pick<AgentDeps, "conversationId" | "store">,
  place: MessageLocation,
): Promise<StoredMessage> {
  const { message, inputId } = place;
  if (message.role !== "assistant" || message.kind === "event") {
    const got = message.kind === "event" ? "an event of the runtime's" : "a tool's result";
    throw new RequestError(
      "message_refused",
      `Expected a message of the user's or a reply to answer again, got ${got}.`,
    );
  }
  const request = { through: inputId, limit: 1 };
  const [input] = inputId === null ? [] : await store.conversations.path(conversationId, request);
  if (input === undefined)
    throw new RequestError("message_refused", "There is no message of the user's above that reply.");
  return input;
}
