// `/detach SOURCE`: detaches a source from the agent. Without a name: lists the sources.
import { type Command, noteOutcome } from "./command.ts";
import { listSources } from "./source-list.ts";
import { unquoted } from "./unquoted.ts";

export const detachCommand: Command = {
  name: "detach",
  usage: "/detach [SOURCE]",
  summary: "detach a source from the agent (deletes nothing)",
  manual: "detaches a source; deletes nothing",
  isAlwaysReady: false,
  async run(context) {
    const { runtime, agent, argument } = context;
    if (argument === "") return listSources(context);
    const source = await runtime.sources.show(unquoted(argument));
    const wasAttached = await runtime.sources.detach(agent.record.id, source.id);
    const searcher = agent.record.name;
    if (!wasAttached) return noteOutcome(`${searcher} did not search "${source.name}".`);
    return noteOutcome(`${searcher} no longer searches "${source.name}". Nothing was deleted.`);
  },
};
