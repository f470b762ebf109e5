// Lists the folder of the `@path` before the cursor, for suggestions.
// Invariant: each typed folder is listed once; a late answer is harmless, because it contains its folder's name.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import { mentionAt } from "./mentions.ts";

/** Subscribes to the store and dispatches a listing for each typed folder. */
export function listMentions(store: ChatStore, { listFolder }: Pick<ChatHost, "listFolder">): void {
  let looked: string | null = null;
  store.subscribe(() => {
    const folder = mentionAt(store.getState().editor)?.folder ?? null;
    if (folder === looked) return;
    looked = folder;
    if (folder === null) return;
    void listFolder(folder).then((entries) => store.dispatch({ type: "listing", listing: { folder, entries } }));
  });
}
