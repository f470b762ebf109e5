// `/search TEXT`: what was said, by either side, in all conversations with this agent, and what stands in its archive.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { parseQuery, searchPanel } from "./search-panel.ts";

/** Of each memory, so that both stand on a screen. */
const hitsOfEach = 5;

export const searchCommand: Command = {
  name: "search",
  usage: "/search TEXT",
  summary: "search messages and the archive; --explain shows why",
  manual: "searches recall and the archive; `--explain` shows why each result was found",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    const { query, isExplained } = parseQuery(argument);
    if (query === "") return refusalOutcome("Expected words to search for.", "/search sailing");
    const agentId = agent.record.id;
    const [recall, archival] = await Promise.all([
      runtime.recall.search(agentId, query, { pageSize: hitsOfEach }),
      runtime.archival.search(agentId, query, { pageSize: hitsOfEach }),
    ]);
    const places = [
      { place: "What was said", found: recall },
      { place: "Archival memory", found: archival },
    ];
    if (places.every(({ found }) => found.total === 0)) {
      const limits = archival.wordsAlone === true ? `, of which ${wordsAloneText}` : "";
      return noteOutcome(`Nothing was said with "${query}", and nothing is in the archive${limits}.`);
    }
    return {
      items: places.map(({ place, found: { hits, total, wordsAlone } }) => {
        const limits = wordsAlone === true ? `; ${wordsAloneText}` : "";
        return searchPanel({ place, hits, total, limits, query, isExplained, now: now() });
      }),
    };
  },
};

const wordsAloneText = "only words were compared: search by meaning is not available now";
