// `/attach SOURCE`: lets the agent search a source. Without a name: the sources that there are.
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
    if (!isNew) return noteOutcome(`${searcher} searched "${source.name}" already.`);
    return noteOutcome(`${searcher} searches "${source.name}" from now on: ${contentsLabel(source)}.`);
  },
};
