// Reads a thread or a branch of a conversation page by page, from its end to its beginning.
// Invariant: a page is read only when it is requested, and only once.
import type { StoredMessage } from "../../store/port/records.ts";
import type { UserStore } from "../../store/port/store.ts";

/** Messages per page, including tool results. */
const pageSize = 100;

/**
 * Yields the newest page first; each page begins with its oldest message. `leaf` null: the conversation's thread. Throws
 * RequestError `conversation_not_found`, or `message_not_found` for a leaf of another conversation.
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
