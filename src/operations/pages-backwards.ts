// Reads a branch of a conversation from its end towards its beginning, page by page.
// Invariant: no page is read before it is asked for, and none twice.
import type { StoredMessage } from "../memory/records.ts";
import type { UserStore } from "../memory/store.ts";

/** Messages that are read at once, tools' results among them. */
const pageSize = 100;

/**
 * Each page oldest first, the newest page first. `leaf` null: the branch that the conversation is on. Throws RequestError
 * `conversation_not_found`, and `message_not_found` for a leaf that is not in it.
 */
export async function* pagesBackwards(
  conversations: Pick<UserStore["conversations"], "path">,
  conversation: string,
  leaf: string | null,
): AsyncGenerator<readonly StoredMessage[], void> {
  for (let through = leaf; ; ) {
    const page = await conversations.path(conversation, { through, limit: pageSize });
    yield page;
    through = page[0]?.parentId ?? null;
    if (page.length < pageSize || through === null) return;
  }
}
