// Lists the folder of the `@path` before the cursor, for suggestions; also what is below it, once a name is typed.
// Invariant: a typed folder is listed once, and an answer for a folder that is no longer typed is dropped.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import type { FolderEntry, Listing } from "./completion.ts";
import { mentionAt } from "./mentions.ts";

type Lister = Pick<ChatHost, "listFolder" | "listPaths">;

/** The typed folder, with its entries, and whether what is below it was listed. */
interface Looked {
  readonly folder: string;
  readonly entries: Promise<readonly FolderEntry[]>;
  isDeep: boolean;
}

/** Subscribes to the store and dispatches listings of each typed folder. */
export function listMentions(store: ChatStore, lister: Lister): void {
  let looked: Looked | null = null;
  const show = async (at: Looked, listing: Promise<Listing>): Promise<void> => {
    const found = await listing;
    if (looked === at) store.dispatch({ type: "listing", listing: found });
  };
  store.subscribe(() => {
    const mention = mentionAt(store.getState().editor);
    if (mention === null) {
      looked = null;
      return;
    }
    const { folder, name } = mention;
    if (looked?.folder !== folder) {
      looked = { folder, entries: lister.listFolder(folder), isDeep: false };
      void show(looked, shallow(looked));
    }
    if (name === "" || looked.isDeep) return;
    looked.isDeep = true;
    void show(looked, deep(looked, lister));
  });
}

async function shallow({ folder, entries }: Looked): Promise<Listing> {
  return { folder, entries: await entries, nested: [] };
}

async function deep({ folder, entries }: Looked, { listFolder, listPaths }: Lister): Promise<Listing> {
  const top = await entries;
  if (top.length > 0 || folder === "") return { folder, entries: top, nested: await listPaths(folder) };
  // What was typed before the slash may be a part of a longer path.
  return { folder: "", entries: await listFolder(""), nested: await listPaths("") };
}
