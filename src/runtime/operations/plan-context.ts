// Runs the query planner over the memories of an agent: for `runtime.getContext`, and for the lookup of a turn.
// Invariant: every memory contains only data of the runtime's user; a failed search is a warning, never an error.
import { takeCodePoints } from "../../base/code-points.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import {
  type ContextSource as SourceOf,
  type PlannedContext,
  QueryPlanner,
  type SynopsisSource,
  defaultRecent,
} from "../../memory/planner/query-planner.ts";
import type { WorkingHit } from "../../memory/working/working-memory.ts";
import { shownSynopsis } from "../../memory/synopsis/synopsis.ts";
import { toolSource } from "../../memory/working/turn-texts.ts";
import type { ContextOptions } from "../runtime.ts";
import { hitLine, wholeText } from "../../tool/search-results.ts";
import type { SearchHit } from "../../tool/tool.ts";
import { createRecallSearch } from "../../memory/recall/recall-search.ts";
import { meaningDeps } from "./agent-memories.ts";
import { counterOf } from "./opening/agent-models.ts";
import { externalToolsOf, freshMemory, toolsOf } from "./opening/agent-tools.ts";
import { bufferSource, type FindConversationId, recentSource, sourceAnswer } from "./conversation-sources.ts";
import { findAgent } from "../agents/find-agent.ts";
import { type OperationDeps, requireConversation } from "./operation-deps.ts";
import { synopsisUpkeep } from "../synopsis/refresh-synopsis.ts";
import { refillWorking } from "./opening/refill-working.ts";

type ContextSource = SourceOf<SearchHit>;

/** Returns the context for a query. Throws RequestError `agent_not_found`, `conversation_not_found` or `input_invalid`. */
export async function planContext(
  deps: OperationDeps,
  name: string,
  { query, conversation, countsAccesses = true, ...options }: ContextOptions & { readonly query: string },
): Promise<PlannedContext<SearchHit>> {
  const agent = await findAgent(deps, name);
  await deps.memories.emptyForgotten();
  const named = conversation === undefined ? null : await requireConversation(deps.store, agent, conversation);
  let last: Promise<string | undefined> | undefined;
  const idOf: FindConversationId = async () => named?.id ?? (last ??= lastConversation(deps, agent));
  const buffer = bufferSource(deps, idOf, options.recent ?? defaultRecent);
  const planner = plannerOf(deps, agent, {
    sources: ["working", "archival"],
    countsAccesses,
    recent: recentSource(deps, idOf),
    ...(buffer === null ? {} : { buffer }),
    refill: () => refill(deps, agent, idOf),
    ...(agent.settings.synopsis === "off" ? {} : { synopsis: synopsisOf(deps, agent) }),
  });
  return planner.getContext(clipQuery(query), deps.store.userId, options);
}

async function lastConversation(
  { store }: Pick<OperationDeps, "store">,
  { id }: AgentRecord,
): Promise<string | undefined> {
  return (await store.conversations.list(id, { order: "newest", limit: 1 }))[0]?.id;
}

export interface PlannerRequest {
  readonly sources: readonly ("working" | "archival" | "recall")[];
  /** Whether hits in the archive count as accessed, which raises their rank in later searches; default true. */
  readonly countsAccesses?: boolean;
  readonly recent?: ContextSource;
  /** Searches the buffer; absent in a turn, because the window contains the messages of the buffer. */
  readonly buffer?: ContextSource;
  /** Fills working memory before it is searched; absent in a turn, because opening the agent already filled it. */
  readonly refill?: () => Promise<void>;
  /** Returns the synopsis; absent in a turn, because the prompt contains the synopsis. */
  readonly synopsis?: SynopsisSource;
}

export type PlannerDeps = Pick<
  OperationDeps,
  "store" | "models" | "embedders" | "reranker" | "memories" | "retrieval" | "backFill" | "log" | "clock"
>;

export function plannerOf(
  deps: PlannerDeps,
  agent: AgentRecord,
  { sources, countsAccesses = true, recent, buffer, refill: fill, synopsis }: PlannerRequest,
): QueryPlanner<SearchHit> {
  const working = sources.includes("working") ? workingSource(deps, agent, fill) : {};
  const hasArchive = sources.includes("archival") && deps.retrieval.archivalMemory === "on";
  const archival = hasArchive ? { archival: archivalSource(deps, agent, countsAccesses) } : {};
  const recall = sources.includes("recall") ? { recall: recallSource(deps, agent) } : {};
  const { count } = counterOf(deps, agent);
  return new QueryPlanner({
    sources: { ...working, ...(buffer === undefined ? {} : { buffer }), ...archival, ...recall },
    ...(recent === undefined ? {} : { recent }),
    ...(synopsis === undefined ? {} : { synopsis }),
    countTokens: (text) => count(text),
    render: (hit) => hitLine(hit, { timeZone: agent.settings.timeZone }, wholeText),
    clock: deps.clock,
  });
}

/** Maximum code points of a query. The maximum limits the cost of a search; embedders read even less of a query. */
const maxQueryLength = 2000;

export function clipQuery(text: string): string {
  return takeCodePoints(text, maxQueryLength);
}

/** Minimum share of the query's words that a text of working memory contains if it is found by words, not by vector. */
const minWordSimilarity = 0.35;

function workingSource(
  deps: Pick<OperationDeps, "embedders" | "memories">,
  agent: AgentRecord,
  fill: PlannerRequest["refill"],
): Readonly<Record<string, ContextSource>> {
  const memory = deps.memories.workingOf(agent.id);
  if (memory === null) return {};
  const embedder = deps.embedders.default?.embedder;
  const working: ContextSource = async (query, { user, k, signal }) => {
    await fill?.();
    const { hits, wordsAlone } = await memory.search(query, { user, k, signal });
    const floor = wordsAlone || embedder === undefined ? minWordSimilarity : (await embedder.similarity()).floor;
    const near = hits.filter(({ by, score }) => score >= (by === "words" ? minWordSimilarity : floor));
    return sourceAnswer(near.map(searchHit), wordsAlone && deps.embedders.default !== null);
  };
  return { working };
}

function archivalSource(
  deps: Pick<OperationDeps, "memories">,
  agent: AgentRecord,
  countsAccesses: boolean,
): ContextSource {
  return async (query, { k }) => {
    const search = { query, page: 0, pageSize: k, countsAccesses };
    const { hits, wordsAlone } = await deps.memories.archiveOf(agent).search(search);
    return sourceAnswer(
      hits.map((hit): SearchHit => hit.replacement ?? hit),
      wordsAlone,
    );
  };
}

function recallSource(
  deps: Pick<OperationDeps, "store" | "embedders" | "reranker" | "backFill" | "log">,
  agent: AgentRecord,
): ContextSource {
  const { timeZone } = agent.settings;
  return async (query, { k }) => {
    const scope = { agentId: agent.id, timeZone, pageSize: k, ...meaningDeps(deps, agent.id) };
    const { hits, wordsAlone } = await createRecallSearch(deps.store.recall, scope).search(query, 0);
    return sourceAnswer(hits, wordsAlone);
  };
}

/** Returns a reader of the synopsis for a new prompt. An expired part is regenerated in the background, as after a turn. */
function synopsisOf(deps: OperationDeps, agent: AgentRecord): SynopsisSource {
  return async () => {
    const stored = await deps.store.synopses.read(agent.id);
    synopsisUpkeep(deps, agent)?.afterTurn?.();
    return shownSynopsis(stored, agent.settings, deps.clock.now())?.text ?? null;
  };
}

export function searchHit({ id, text, at, trust, source }: WorkingHit): SearchHit {
  const tool = toolSource(source);
  return { id, text, at, trust, ...(tool === null ? { role: "user" as const } : { tool }) };
}

/** Refills working memory after a restart, as opening the conversation does. */
async function refill(deps: OperationDeps, agent: AgentRecord, idOf: FindConversationId): Promise<void> {
  const conversationId = deps.retrieval.workingMemory === "refilled" ? await idOf() : undefined;
  if (conversationId === undefined) return;
  const stored = await deps.store.tools.ofAgent(agent.id);
  const tools = toolsOf(deps, agent, { selection: deps.tools.selection, stored })(freshMemory(deps, agent));
  await refillWorking(deps, agent, { conversationId, isExternalTool: externalToolsOf(tools) });
}
