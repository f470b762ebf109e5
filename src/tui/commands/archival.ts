// `/archival [TEXT]`: the passages of archival memory, all or those that a search finds.
import { type Command, noteOutcome } from "./command.ts";
import { hitsShown, searchPanel } from "./search-panel.ts";

export const archivalCommand: Command = {
  name: "archival",
  usage: "/archival [TEXT]",
  summary: "list or search archival memory",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    const agentId = agent.record.id;
    if (argument === "") {
      const { rows, total } = await runtime.archival.list(agentId, { pageSize: hitsShown });
      if (total === 0) return noteOutcome("Archival memory is empty.");
      const hits = rows.map(({ id, content: text, at, trust, origin, tags }) => ({
        id,
        text,
        at,
        trust,
        origin,
        tags,
      }));
      return { items: [searchPanel({ hits, total, now: now() })] };
    }
    const { hits, total, wordsAlone } = await runtime.archival.search(agentId, argument, { pageSize: hitsShown });
    const limits = wordsAlone === true ? " by words alone: search by meaning is not available now" : "";
    if (total === 0) return noteOutcome(`Archival memory has nothing on "${argument}"${limits}.`);
    return { items: [searchPanel({ hits, total, limits, now: now() })] };
  },
};
