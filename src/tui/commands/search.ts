// `/search TEXT`: what was said, by either side, in all conversations with this agent.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { hitsShown, searchPanel } from "./search-panel.ts";

export const searchCommand: Command = {
  name: "search",
  usage: "/search TEXT",
  summary: "search everything that was said",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    if (argument === "") return refusalOutcome("Expected words to search for.", "/search sailing");
    const { hits, total } = await runtime.recall.search(agent.record.id, argument, { pageSize: hitsShown });
    if (total === 0) return noteOutcome(`Nothing was said with "${argument}".`);
    return { items: [searchPanel({ hits, total, now: now() })] };
  },
};
