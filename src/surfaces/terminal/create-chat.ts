// Creates a chat without a screen, which handles keys and processes inputs.
// Invariant: everything displayed is in the chat's store; the screen only draws it.
import { systemClock } from "../../base/clock.ts";
import { createBackgroundTheme } from "./background-theme.ts";
import type { ChatHost } from "./chat-host.ts";
import type { ChatSession } from "./chat-session.ts";
import { type ChatStore, createChatStore } from "./chat-store.ts";
import { waitingItems } from "./commands/file.ts";
import { createConversation, statusOf } from "./conversation.ts";
import { createDialogHost } from "./dialogs/dialog-host.ts";
import { createErrands } from "./errands.ts";
import { createFrames } from "./frames.ts";
import type { FolderEntry, Listing } from "./input/completion.ts";
import { listOffers } from "./input/list-offers.ts";
import { mentionAt } from "./input/mentions.ts";
import { createPastedFiles } from "./input/pasted-files.ts";
import { createSentInputs } from "./input/sent-inputs.ts";
import { createSubmission } from "./input/submission.ts";
import { askApprovals, createKeyDialogs } from "./keys/key-dialogs.ts";
import { createKeyHandler } from "./keys/key-handler.ts";
import { themeFor } from "./rows/theme.ts";
import type { ScreenSize } from "./screen/screen-size.ts";
import { approvalItem, notice, questionItem, welcomeItem } from "./view/notices.ts";
import { reopenedItems } from "./view/past-items.ts";
import type { ViewItem } from "./view/view-item.ts";
import { openingState } from "./view/view-state.ts";
import { followStatus } from "./status-line.ts";
import type { pressVim } from "./input/vim-keys.ts";
import { createWorkLine } from "./work-line.ts";

/** Creates a chat that shows its welcome and the last messages of a resumed conversation. */
export function createChat(session: ChatSession, size: ScreenSize) {
  const { agent, clock = systemClock, host, command = "palimpsest", hasBell = false } = session;
  const store = createChatStore(
    openingState({ status: statusOf(agent), size, theme: themeFor(session), command, hasBell }),
  );
  const inputs = createSentInputs(store, host);
  const { dispatch } = store;
  dispatch({ type: "open", status: statusOf(agent), history: inputs.with(agent) });
  dispatch({ type: "show", items: openingItems(session) });

  const dialogs = createDialogHost(store);
  const errands = createErrands(store, host);
  const conversation = createConversation(session, { store, clock, dialogs, inputs });
  const line = createWorkLine({
    store,
    clock,
    status: () => statusOf(conversation.agent()),
    start: (text) => submission.start(text),
  });
  const leave = async (items: readonly ViewItem[] = []): Promise<void> => {
    await line.stop();
    dispatch({ type: "show", items });
    dispatch({ type: "set", change: { hasLeft: true } });
  };
  const submission = createSubmission({ store, line, conversation, inputs, leave });
  if (host !== undefined) listMentions(store, host);
  listOffers(store, session.runtime, host);
  if (host?.statusLine !== undefined) followStatus(store, host.statusLine);
  host?.watchLog((line) => dispatch({ type: "show", items: [notice("note", line)] }));
  session.runtime.mcp.watchQuestions((question) => dispatch({ type: "show", items: [questionItem(question)] }));

  if (session.firstInput !== undefined) submission.start(session.firstInput);
  askApprovals({ store, dialogs, conversation, line }, submission.submit);
  return {
    ...createBackgroundTheme(session, store, clock),
    getState: store.getState,
    /** Calls the listener when the screen must be redrawn. Returns a function that ends the subscription. */
    subscribe: createFrames(store, clock).subscribe,
    now: () => clock.now(),
    /** Draws everything again at this size, after a change of size or after another program had the terminal. */
    redraw: (changed: ScreenSize) => dispatch({ type: "redraw", size: changed }),
    /** Returns the waiting errand, which runs another program in the terminal; null if the chat has ended. */
    takeErrand: errands.take,
    /** Returns the id of the chat's current conversation. */
    conversationId: () => conversation.agent().conversationId,
    ...createKeyHandler({
      ...submission,
      ...createKeyDialogs({ store, dialogs, conversation, line }),
      ...createPastedFiles({ store, host, conversation }),
      store,
      clock,
      pressVim: vimKeys(session, store),
      pressInDialog: dialogs.press,
      redraw: () => dispatch({ type: "redraw", size: store.getState().size }),
      beginErrand: errands.begin,
      interrupt: line.interrupt,
      isWorking: line.isBusy,
      leave: () => void leave(),
    }),
  };
}

export type Chat = ReturnType<typeof createChat>;

function openingItems(session: ChatSession): readonly ViewItem[] {
  const waiting = [...session.agent.pendingApprovals.map(approvalItem), ...waitingItems(session.files ?? [])];
  return [welcomeItem(session), ...reopenedItems(session.agent), ...waiting];
}

/** Loads vim's keys if the session has them. Until they are loaded, the returned function does nothing. */
function vimKeys({ editorKeys }: ChatSession, { getState, dispatch }: ChatStore): typeof pressVim {
  let press: typeof pressVim = () => null;
  const load = async (): Promise<void> => {
    const loaded = await import("./input/vim-keys.ts");
    press = loaded.pressVim;
    dispatch({ type: "edit", editor: getState().editor, vim: loaded.newVim });
  };
  if (editorKeys === "vim") void load();
  return (...pressed) => press(...pressed);
}

type Lister = Pick<ChatHost, "listFolder" | "listPaths">;

/** The folder that was listed for the mention in the editor. `isDeep`: whether its subfolders were listed, too. */
interface Looked {
  readonly folder: string;
  readonly entries: Promise<readonly FolderEntry[]>;
  isDeep: boolean;
}

/**
 * Lists the folder that a mention in the editor names, and dispatches its entries. A folder is listed once while the
 * mention names it; a listing that arrives after the mention has changed is discarded.
 */
function listMentions(store: ChatStore, lister: Lister): void {
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
      void show(
        looked,
        looked.entries.then((entries) => ({ folder, entries, nested: [] })),
      );
    }
    if (name === "" || looked.isDeep) return;
    looked.isDeep = true;
    void show(looked, deep(looked, lister));
  });
}

async function deep({ folder, entries }: Looked, { listFolder, listPaths }: Lister): Promise<Listing> {
  const top = await entries;
  if (top.length > 0 || folder === "") return { folder, entries: top, nested: await listPaths(folder) };
  // The typed folder has no entries. Lists the current folder, because the text may be the middle of a path below it.
  return { folder: "", entries: await listFolder(""), nested: await listPaths("") };
}
