// Gives the query planner the last messages of a conversation, and a search of the buffer before them.
// Invariant: keeps no state between queries; if the embedder fails, the search compares words only.
import type { BufferedMessage } from "../../context/buffer/buffered-message.ts";
import { hasVisibleText } from "../../context/conversation-history.ts";
import { createBufferSearch } from "../../context/buffer/search-buffer.ts";
import type { ContextSource as SourceOf, ContextSourceResult } from "../../memory/planner/query-planner.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { SearchHit } from "../../tool/tool.ts";
import type { OperationDeps } from "./operation-deps.ts";

type ContextSource = SourceOf<SearchHit>;

/** Returns the id of the conversation; undefined while the agent has none. */
export type FindConversationId = () => Promise<string | undefined>;

/** Returns a function that reads the last messages for the planner, newest first. */
export function recentSource(deps: Pick<OperationDeps, "store">, idOf: FindConversationId): ContextSource {
  return async (_, { k }) => ({ hits: (await lastMessages(deps, idOf, k)).reverse().map(messageHit) });
}

/**
 * Returns a function that searches the buffer for the planner, without the `recent` newest messages, which `recentSource`
 * reads. Returns null if the search is off.
 */
export function bufferSource(
  deps: Pick<OperationDeps, "store" | "buffer">,
  idOf: FindConversationId,
  recent: number,
): ContextSource | null {
  const { size, search, embedder } = deps.buffer;
  if (search === "off") return null;
  return async (query, { k, signal }) => {
    const visible = await lastMessages(deps, idOf, size);
    const messages = new Map(
      visible.slice(0, Math.max(0, visible.length - recent)).map((one) => [bufferedMessage(one), one]),
    );
    const entries = [...messages.keys()].map((message) => ({
      type: "message" as const,
      text: message.text,
      message,
    }));
    // The search is created for each query, because a cached one would hold deleted messages. The embedder caches the vectors.
    const found = await createBufferSearch(embedder)(query, entries, { k, signal });
    const floor = embedder === null || found.wordsAlone ? -1 : (await embedder.similarity()).floor;
    const near = found.hits.filter(({ relevance }) => relevance >= floor);
    const hits = near.flatMap((hit) => (hit.type === "message" ? (messages.get(hit.message) ?? []) : []));
    return sourceAnswer(hits.map(messageHit), found.wordsAlone && search === "meaning");
  };
}

export function sourceAnswer(hits: readonly SearchHit[], wordsAlone: boolean): ContextSourceResult<SearchHit> {
  return wordsAlone ? { hits, warning: "search by meaning is not available now, only words were compared" } : { hits };
}

/** Number of messages to read per message to return, because most messages are tool results. */
const messagesReadPerResult = 5;

/** Returns the last messages of the user and the agent, oldest first. */
async function lastMessages(
  { store }: Pick<OperationDeps, "store">,
  idOf: FindConversationId,
  count: number,
): Promise<StoredMessage[]> {
  const id = await idOf();
  if (id === undefined) return [];
  const read = await store.conversations.path(id, { through: null, limit: count * messagesReadPerResult });
  return read.filter(hasVisibleText).slice(-count);
}

function bufferedMessage({ role, text, at }: StoredMessage): BufferedMessage {
  return { role: role === "user" ? "user" : "assistant", text, at, metadata: {} };
}

function messageHit({ id, text, at, trust, role, speaker }: StoredMessage): SearchHit {
  const hit = { id, text, at, trust, role: role === "user" ? ("user" as const) : ("assistant" as const) };
  return speaker === undefined ? hit : { ...hit, speaker };
}
