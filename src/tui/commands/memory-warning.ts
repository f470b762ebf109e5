// `/memorywarning`: tells the agent that its window is filling up, after MemGPT's command, and runs the turn.
import { type Command, refusalOutcome } from "./command.ts";

export const memoryWarningCommand: Command = {
  name: "memorywarning",
  usage: "/memorywarning",
  summary: "warn the agent that its window is filling up",
  manual: "warns the agent that its window is filling up, so that it saves what matters",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument !== "") return refusalOutcome("/memorywarning takes nothing after it.", "/memorywarning");
    return { items: [], effect: { type: "turn", begin: (options) => agent.raise("memory-warning", options) } };
  },
};
