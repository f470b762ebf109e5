// Exports the messages of a conversation's thread.
// Invariant: exports only what people saw: no thoughts, no tool calls, no removed messages.
import { hasVisibleText } from "../../context/conversation-history.ts";
import type { ImportedMessage } from "../conversations.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { pagesBackwards } from "./pages-backwards.ts";

/** Throws RequestError `conversation_not_found`. */
export async function exportConversation(
  { store }: Pick<OperationDeps, "store">,
  id: string,
): Promise<readonly ImportedMessage[]> {
  const newestFirst: ImportedMessage[] = [];
  for await (const page of pagesBackwards(store.conversations, id, null)) {
    for (const { role, speaker, text, at } of page.filter(hasVisibleText).reverse()) {
      const named = speaker === undefined ? {} : { speaker };
      newestFirst.push({ role: role === "user" ? "user" : "assistant", ...named, text, at });
    }
  }
  return newestFirst.reverse();
}
