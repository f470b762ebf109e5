// Finds what may be meant by a text to forget and does not contain it, by the searches that the model's tools use.
// Invariant: a search that fails finds nothing; it never prevents a forgetting.
import type { Redactor } from "../../../base/redactor.ts";
import type { ForgettingRequest } from "../../../store/port/forgetting-store.ts";
import { createRecallSearch } from "../../../memory/recall/recall-search.ts";
import type { SimilarText } from "../../forget.ts";
import type { SearchHit } from "../../../tool/tool.ts";
import { meaningDeps } from "../agent-memories.ts";
import type { OperationDeps } from "../operation-deps.ts";

type SimilarDeps = Pick<OperationDeps, "store" | "embedders" | "reranker" | "memories" | "backFill" | "log">;

/** Hits of each search, and the searches for one request: its first texts in the memory of each agent. */
const hitsOfSearch = 5;
const maxTexts = 3;
const maxAgents = 10;

export async function findSimilar(
  deps: SimilarDeps,
  { texts, messages, passages }: ForgettingRequest,
  redactor: Redactor,
): Promise<readonly SimilarText[]> {
  const agents = texts.length === 0 ? [] : (await deps.store.agents.list()).slice(0, maxAgents);
  const found = new Map<string, SimilarText>();
  for (const agent of agents) {
    const scope = {
      agentId: agent.id,
      timeZone: agent.settings.timeZone,
      pageSize: hitsOfSearch,
      includeAbandoned: true,
    };
    const recall = createRecallSearch(deps.store.recall, { ...scope, ...meaningDeps(deps, agent.id) });
    const archive = deps.memories.archiveOf(agent);
    for (const text of texts.slice(0, maxTexts)) {
      const said = await hitsOf(recall.search(text, 0));
      const kept = await hitsOf(archive.search({ query: text, page: 0, pageSize: hitsOfSearch }));
      for (const hit of said) found.set(hit.id, similarOf("message", hit));
      for (const hit of kept) found.set(hit.id, similarOf("passage", hit));
    }
  }
  const isAsked = ({ id }: SimilarText) => messages.includes(id) || passages.includes(id);
  return [...found.values()].filter((one) => !isAsked(one) && !redactor.has(one.text));
}

async function hitsOf(search: Promise<{ readonly hits: readonly SearchHit[] }>): Promise<readonly SearchHit[]> {
  return search.then(
    ({ hits }) => hits,
    () => [],
  );
}

function similarOf(kind: SimilarText["kind"], { id, text, at }: SearchHit): SimilarText {
  return { kind, id, text, at };
}
