// Names conversations in the lists from which the user chooses a conversation.
import type { CallResult } from "../../client/api-types.ts";
import { beginningOf, visibleText } from "../parts/visible-text.ts";

export type Conversation = CallResult<"GET /agents/:agent/conversations">[number];

/** Returns the title, or the first words; without hidden characters, on one line. */
export function conversationName({ title, preview }: Pick<Conversation, "title" | "preview">): string {
  const words = (title ?? preview).trim().replaceAll(/\s+/gu, " ");
  return words === "" ? "New conversation" : beginningOf(visibleText(words), 100);
}
