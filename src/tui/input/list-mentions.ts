// Looks into the folder that an `@path` before the cursor is in, so that names can be offered.
// Invariant: one look for each folder that is typed; an answer that comes too late does no harm, since it names its folder.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import { mentionAt } from "./mentions.ts";

/** Goes on for as long as the store is used. */
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
