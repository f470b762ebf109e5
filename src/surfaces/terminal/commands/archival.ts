// `/archival [TEXT]`: the passages of archival memory, the newest or those that a search finds.
import { type Command, noteOutcome } from "./command.ts";
import { hitsShown, parseQuery, searchPanel } from "./search-panel.ts";

export const archivalCommand: Command = {
  name: "archival",
  usage: "/archival [TEXT]",
  summary: "list or search archival memory; --explain shows why",
  manual: "lists the newest passages of archival memory, or those that match",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    const agentId = agent.record.id;
    const { query, isExplained } = parseQuery(argument);
    if (query === "") {
      const total = await runtime.archival.count(agentId);
      if (total === 0) return noteOutcome("Archival memory is empty.");
      const passages = await runtime.archival.list(agentId, { limit: hitsShown });
      const hits = passages.map(({ id, text, at, trust, origin, tags }) => ({ id, text, at, trust, origin, tags }));
      return { items: [searchPanel({ hits, total, now: now() })] };
    }
    const { hits, total, wordsAlone } = await runtime.archival.search(agentId, query, { pageSize: hitsShown });
    const limits = wordsAlone ? wordsAloneText : "";
    if (total === 0) return noteOutcome(`Archival memory has nothing on "${query}"${limits}.`);
    return { items: [searchPanel({ hits, total, limits, query, isExplained, now: now() })] };
  },
};

const wordsAloneText = " by words only: search by meaning is not available now";
