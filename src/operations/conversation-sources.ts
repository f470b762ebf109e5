// What the query planner takes from a conversation: its end as it stands, and what is found in the buffer before it.
// Invariant: nothing is kept from one question to the next; a failing embedder costs the meaning, never the search.
import type { BufferedMessage } from "../buffer/buffered-message.ts";
import { isSaid } from "../context/conversation-history.ts";
import { createBufferSearch } from "../buffer/search-buffer.ts";
import type { ContextSource as SourceOf, ContextSourceResult } from "../memory/planner/query-planner.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { SearchHit } from "../tool/tool.ts";
import type { OperationDeps } from "./operation-deps.ts";

type ContextSource = SourceOf<SearchHit>;

/** Of the conversation that is meant; undefined while the agent has none. */
export type ConversationId = () => Promise<string | undefined>;

/** The last messages, newest first. */
export function recentOf(deps: Pick<OperationDeps, "store">, idOf: ConversationId): ContextSource {
  return async (_, { k }) => ({ hits: (await lastSaid(deps, idOf, k)).reverse().map(messageHit) });
}

/** The last messages of the buffer's size, but for the newest `recent`, which are there anyway. Null where it is off. */
export function bufferOf(
  deps: Pick<OperationDeps, "store" | "buffer">,
  idOf: ConversationId,
  recent: number,
): ContextSource | null {
  const { size, search, embedder } = deps.buffer;
  if (search === "off") return null;
  return async (query, { k, signal }) => {
    const said = await lastSaid(deps, idOf, size);
    const messages = new Map(
      said.slice(0, Math.max(0, said.length - recent)).map((one) => [bufferedMessage(one), one]),
    );
    const entries = [...messages.keys()].map((message) => ({
      type: "message" as const,
      text: message.content,
      message,
    }));
    // The embedder remembers vectors by itself; a search that is kept would hold what has been deleted since.
    const found = await createBufferSearch(embedder)(query, entries, { k, signal });
    const near = found.hits.filter(
      ({ relevance }) => embedder === null || found.wordsAlone || relevance >= embedder.similarityFloor,
    );
    const hits = near.flatMap((hit) => (hit.type === "message" ? (messages.get(hit.message) ?? []) : []));
    return answerOf(hits.map(messageHit), found.wordsAlone && search === "meaning");
  };
}

export function answerOf(hits: readonly SearchHit[], wordsAlone: boolean): ContextSourceResult<SearchHit> {
  return wordsAlone ? { hits, warning: "meaning was not searched, only words were compared" } : { hits };
}

/** Messages that are read for so many that were said: most of the others are results of tools. */
const readFor = 5;

/** What was said last, oldest first. */
async function lastSaid(
  { store }: Pick<OperationDeps, "store">,
  idOf: ConversationId,
  count: number,
): Promise<StoredMessage[]> {
  const id = await idOf();
  if (id === undefined) return [];
  const read = await store.conversations.path(id, { through: null, limit: count * readFor });
  return read.filter(isSaid).slice(-count);
}

function bufferedMessage({ role, text, at }: StoredMessage): BufferedMessage {
  return { role: role === "user" ? "user" : "assistant", content: text, at, metadata: {} };
}

function messageHit({ id, text, at, trust, role, speaker }: StoredMessage): SearchHit {
  const said = { id, text, at, trust, role: role === "user" ? ("user" as const) : ("assistant" as const) };
  return speaker === undefined ? said : { ...said, speaker };
}
