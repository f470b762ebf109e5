// `/search TEXT`: searches the messages of all conversations with this agent, and its archive.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { parseQuery, searchPanel } from "./search-panel.ts";

/** Maximum hits per memory, so that both fit on a screen. */
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
      const limits = archival.wordsAlone ? `, of which ${wordsAloneText}` : "";
      return noteOutcome(`No message and no passage matches "${query}"${limits}.`);
    }
    return {
      items: places.map(({ place, found: { hits, total, wordsAlone } }) => {
        const limits = wordsAlone ? `; ${wordsAloneText}` : "";
        return searchPanel({ place, hits, total, limits, query, isExplained, now: now() });
      }),
    };
  },
};

const wordsAloneText = "words only: search by meaning is not available now";
