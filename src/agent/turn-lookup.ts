// Runs the searches of an open agent: for the input of a turn, and for its tools. Also keeps its working memory of past
// turns, and reads the lines about earlier conversations with which a new conversation begins.
// Invariant: a failed search never fails a turn; an agent without lookups has no search and no working memory. The
// lines about earlier conversations are treated like search hits: they are stored with the first message, and a
// forgetting deletes them with that message.
import type { RetrievedItem } from "../context/window/place-files-and-hits.ts";
import { ToolError } from "../base/errors.ts";
import type { AgentRecord, StoredMessage } from "../store/port/records.ts";
import type { AttachedFiles, WorkingSearch } from "../tool/tool.ts";
import { formatDay } from "../base/calendar.ts";
import type { EarlierConversation } from "../store/port/conversation-store.ts";
import type { UserStore } from "../store/port/store.ts";

export interface TurnRetrieval {
  /** Best first. */
  readonly items: readonly RetrievedItem[];
  /** One sentence about each search that failed or was incomplete. */
  readonly warnings: readonly string[];
}

export interface TurnLookup extends WorkingSearch {
  /** Searches for a user's input, and omits hits that these messages already contain. Returns nothing if the signal aborts. */
  forInput(input: StoredMessage, messages: readonly StoredMessage[], signal: AbortSignal): Promise<TurnRetrieval>;
  /** Records that the session is about to read its conversation, and empties working memory if a forgetting was applied. */
  beforeLoad(): Promise<void>;
  /**
   * Adds the messages of the last turn to working memory, unless a forgetting was applied since the session has read its
   * conversation: the messages may contain what was forgotten. Called when the turn has ended, however it ended.
   */
  remember(messages: readonly StoredMessage[]): void;
  /** Removes from working memory the messages that were removed from the thread. */
  forget(messageIds: readonly string[]): void;
}

export const noRetrieval: TurnRetrieval = { items: [], warnings: [] };

/** Passed to the tools of an agent without attached sources. */
export const noAttachedFiles: AttachedFiles = {
  open: async () => {
    throw new ToolError("No source with files is attached. Nothing was opened.");
  },
  findLines: async () => ({ files: 0, total: 0, lines: [] }),
};

/** Passed to the tools of an agent without working memory. */
export const noWorkingSearch: WorkingSearch = {
  search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false }),
};

const maxShown = 3;

interface FirstTurn {
  readonly agent: AgentRecord;
  readonly store: Pick<UserStore, "conversations">;
  readonly conversationId: string;
}

/** Adds an item for each of the last conversations, unless a hit already contains its text. Reads all with one query. */
export async function withEarlier(
  found: TurnRetrieval | null,
  { agent, store, conversationId }: FirstTurn,
): Promise<TurnRetrieval | null> {
  const { timeZone } = agent.settings;
  const earlier = await store.conversations.earlier(agent.id, conversationId, maxShown);
  const { items: others, warnings } = found ?? noRetrieval;
  const items = earlier
    .map((conversation) => ({ ...conversation, text: conversation.text.replaceAll(/\s+/gu, " ").trim() }))
    .filter(({ text }) => !others.some(({ line }) => line.includes(text)))
    .map((conversation) => ({
      source: "conversation",
      id: conversation.id,
      trust: conversation.trust,
      line: lineOf(conversation, timeZone),
    }));
  return items.length === 0 ? found : { items: [...items, ...others], warnings };
}

function lineOf({ at, title, text }: EarlierConversation, timeZone: string): string {
  return `Earlier conversation, ${formatDay(at, timeZone)}${title === null ? "" : `, "${title}"`}: ${text}`;
}
