// `/attach SOURCE`: attaches a source to the agent. Without a name: lists the sources.
import { type Command, noteOutcome } from "./command.ts";
import { contentsLabel, listSources } from "./source-list.ts";
import { unquoted } from "./unquoted.ts";

export const attachCommand: Command = {
  name: "attach",
  usage: "/attach [SOURCE]",
  summary: "attach a source to the agent, or list the sources",
  manual: "attaches a source of files to the agent, or lists the sources",
  isAlwaysReady: false,
  async run(context) {
    const { runtime, agent, argument } = context;
    if (argument === "") return listSources(context);
    const source = await runtime.sources.show(unquoted(argument));
    const isNew = await runtime.sources.attach(agent.record.id, source.id);
    const searcher = agent.record.name;
    if (!isNew) return noteOutcome(`${searcher} already searches "${source.name}".`);
    return noteOutcome(`${searcher} now searches "${source.name}": ${contentsLabel(source)}.`);
  },
};
