// Switches a conversation to another message of its tree.
// Invariant: memory does not change, and no call is separated from its result, because it would run again.
import { RequestError } from "../../base/errors.ts";
import type { AgentDeps } from "../turn.ts";

/** Requires the lease. Throws RequestError `message_not_found` or `message_refused`, with nothing changed. */
export async function switchTo(
  deps: Pick<AgentDeps, "conversationId" | "store" | "session" | "window">,
  messageId: string | null,
): Promise<void> {
  const { session, store, conversationId, window } = deps;
  if (messageId !== null && (await store.conversations.place(conversationId, messageId)).isBeforeResult) {
    throw new RequestError(
      "message_refused",
      "A tool result follows that message, and its call would lose it. Switch to a message after the results.",
    );
  }
  await session.move({ to: messageId, leftBehind: [], memory: "keep" });
  window.pressure.reset();
}
