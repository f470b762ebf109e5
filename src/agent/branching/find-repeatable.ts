// Finds the user message to answer again, and the messages that the regeneration removes from the thread.
// Invariant: changes nothing; the messages before a reply stay, and the new reply answers the same input.
import { isInput } from "../approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import type { MessageLocation } from "../../store/port/conversation-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { ThreadMove } from "./move-thread.ts";
import type { AgentDeps } from "../turn.ts";

export interface Repeatable extends Pick<ThreadMove, "to" | "leftBehind"> {
  /** The user message to answer again. */
  readonly input: StoredMessage;
}

/**
 * Returns the user message to answer again, and the messages that leave the thread. Throws RequestError
 * `message_not_found` for a message that is not on the thread. Throws `message_refused` for a message that is neither
 * an input nor a reply, and for a reply without an input before it. The input of a turn that was raised is its event.
 */
export async function findRepeatable(
  deps: Pick<AgentDeps, "conversationId" | "store">,
  messageId: string,
): Promise<Repeatable> {
  const { store, conversationId } = deps;
  const place = await store.conversations.place(conversationId, messageId);
  const { message, after } = place;
  if (!place.onThread) {
    const advice = "Switch to its branch first.";
    throw new RequestError("message_not_found", `That message is on another branch of the conversation. ${advice}`);
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
    const got = message.kind === "event" ? "a runtime event" : "a tool result";
    throw new RequestError("message_refused", `Expected a user message or a reply to regenerate from, got ${got}.`);
  }
  const request = { through: inputId, limit: 1 };
  const [input] = inputId === null ? [] : await store.conversations.path(conversationId, request);
  if (input?.turnId === message.turnId) return input;
  const path = await store.conversations.path(conversationId, { through: message.id, limit: maxTurnMessages });
  const first = path.find(({ turnId }) => turnId === message.turnId);
  // Without an input, the turn was raised by an event.
  if (first?.role === "user") return first;
  if (input === undefined) throw new RequestError("message_refused", "There is no user message before that reply.");
  return input;
}

/** Maximum messages that are read to find the beginning of a turn. */
const maxTurnMessages = 1000;
