// `/memorywarning`: warns the agent that its window is filling up and runs the turn, like MemGPT's command.
import { type Command, refusalOutcome } from "./command.ts";

export const memoryWarningCommand: Command = {
  name: "memorywarning",
  usage: "/memorywarning",
  summary: "warn the agent that its window is filling up",
  manual: "warns the agent that its window is filling up, so that it saves what matters",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument !== "") return refusalOutcome("/memorywarning takes no argument.", "/memorywarning");
    return { items: [], effect: { type: "turn", begin: (options) => agent.raise("memory-warning", options) } };
  },
};
