// `/new`: starts a new conversation with the same agent and memory.
import { type Command, noteOutcome } from "./command.ts";

export const newCommand: Command = {
  name: "new",
  usage: "/new",
  summary: "start a new conversation; memory stays",
  manual: "starts a new conversation with the same agent and memory",
  isAlwaysReady: false,
  async run({ runtime, agent }) {
    const opened = await runtime.agents.open(agent.record.id, { conversation: "new" });
    return {
      ...noteOutcome("A new conversation. Core memory, recall and archival memory go with it."),
      effect: { type: "open", agent: opened },
    };
  },
};
