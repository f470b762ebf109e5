// `/heartbeat` and `/memorywarning`: run a turn without a message of the user, like MemGPT's commands.
import type { Agent } from "../../../agent/agent.ts";
import { type Command, command, refusalOutcome } from "./command.ts";

export const heartbeatCommand = raising("/heartbeat", "heartbeat", {
  summary: "let the agent act without a message from you",
  manual: "runs a turn without a message, in which the agent may act",
});

export const memoryWarningCommand = raising("/memorywarning", "memory-warning", {
  summary: "warn the agent that its window is filling up",
  manual: "warns the agent that its window is filling up, so that it saves what matters",
});

type Raised = Parameters<Agent["raise"]>[0];

function raising(usage: string, event: Raised, texts: Pick<Command, "summary" | "manual">): Command {
  return command({
    usage,
    ...texts,
    async run({ agent, argument }) {
      if (argument !== "") return refusalOutcome(`${usage} takes no argument.`, usage);
      return { items: [], effect: { type: "turn", begin: (options) => agent.raise(event, options) } };
    },
  });
}
