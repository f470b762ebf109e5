// Stands a conversation on another message of its tree.
// Invariant: memory is not touched, and no call that has its result is left without it: it would be run again.
import { RequestError } from "../../errors.ts";
import type { AgentDeps } from "../turn.ts";

/** Under the lease. Throws RequestError `message_not_found` and `message_refused`, with nothing changed. */
export async function switchTo(
  deps: Pick<AgentDeps, "conversationId" | "store" | "session" | "pressure">,
  messageId: string,
): Promise<void> {
  const { session, store, conversationId, pressure } = deps;
  const { isBeforeResult } = await store.conversations.place(conversationId, messageId);
  if (isBeforeResult) {
    throw new RequestError(
      "message_refused",
      "The result of a tool call follows that message, and the call would lose it. Switch to a message behind the results.",
    );
  }
  await session.move({ to: messageId, leftBehind: [], memory: "keep" });
  pressure.reset();
}
