// Creates the lookup of an open agent: a search of working memory or archival memory for each turn, as the settings say.
// Invariant: a failed search never fails a turn; items that are in the window are not retrieved again; texts that were read
// before a forgetting are not added to working memory afterwards.
import { messageOf } from "../../../base/thrown-values.ts";
import { type TurnRetrieval, noWorkingSearch, noRetrieval, type TurnLookup } from "../../../agent/turn-lookup.ts";
import { messageIdOf, textIdsOf } from "../../../memory/working/turn-texts.ts";
import type { AgentRecord, StoredMessage } from "../../../store/port/records.ts";
import { textOf } from "../../../base/message/message.ts";
import { hitLine, wholeText } from "../../../tool/search-results.ts";
import { searchPageSize } from "../../../memory/recall/recall-search.ts";
import { clipQuery, type PlannerDeps, plannerOf, searchHit } from "../plan-context.ts";
import { addMessages } from "./refill-working.ts";

/**
 * Returns the lookup; null if the settings turn it off. `isExternalTool` returns whether the results of a tool may contain data
 * from outside of memory.
 */
export function createTurnLookup(
  deps: PlannerDeps,
  agent: AgentRecord,
  isExternalTool: (toolName: string) => boolean,
): TurnLookup | null {
  const { retrieval, store } = deps;
  const user = store.userId;
  const working = deps.memories.workingOf(agent.id);
  const isAssisted = agent.settings.assist === "on";
  const withArchive = isAssisted || retrieval.queryPlanner === "on";
  if (working === null && !withArchive) return null;
  const archival = withArchive ? (["archival"] as const) : [];
  const recall = isAssisted ? (["recall"] as const) : [];
  const planner = plannerOf(deps, agent, { sources: ["working", ...archival, ...recall] });
  let forgettings = deps.memories.forgettings;
  return {
    async beforeLoad() {
      forgettings = await deps.memories.emptyForgotten();
    },
    async forInput(input, messages, signal) {
      const inputs = messages.filter(
        ({ role, kind, turnId }) => role === "user" && kind === "message" && turnId === input.turnId,
      );
      const text = inputs.map(textOf).join("\n");
      if (text.trim() === "") return noRetrieval;
      try {
        const planned = await planner.getContext(clipQuery(text), user, {
          maxTokens: retrieval.plannerTokens,
          signal,
        });
        return retrievalOf(planned, messages, agent.settings.timeZone);
      } catch (error) {
        // An aborted search adds no warning, because the turn ends by itself when its signal aborts.
        if (signal.aborted) return noRetrieval;
        return { items: [], warnings: [messageOf(error)] };
      }
    },
    remember(messages) {
      if (forgettings !== deps.memories.forgettings) return;
      const turnId = messages.at(-1)?.turnId;
      const last = messages.filter((message) => message.turnId === turnId);
      if (working !== null) addMessages(working, last, { user, isExternalTool });
    },
    forget: (messageIds) => working?.remove(user, messageIds.flatMap(textIdsOf)),
    async search(query) {
      if (working === null) return noWorkingSearch.search(query);
      const { hits, wordsAlone } = await working.search(query, { user, k: searchPageSize });
      const page = { hits: hits.map(searchHit), page: 0, pageSize: searchPageSize, total: hits.length };
      return { ...page, wordsAlone: wordsAlone && deps.embedders.default !== null };
    },
  };
}

type Planned = Awaited<ReturnType<ReturnType<typeof plannerOf>["getContext"]>>;

function retrievalOf(
  { found, warnings }: Planned,
  messages: readonly StoredMessage[],
  timeZone: string,
): TurnRetrieval {
  const shown = new Set(messages.map(({ id }) => id));
  const items = found
    .filter(({ id }) => !shown.has(messageIdOf(id)))
    .map((hit) => ({ source: hit.foundIn, id: hit.id, trust: hit.trust, line: hitLine(hit, { timeZone }, wholeText) }));
  return { items, warnings };
}
