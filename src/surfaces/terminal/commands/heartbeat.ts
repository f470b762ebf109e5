// `/heartbeat`: hands control to the agent without a message and runs the turn, like MemGPT's command.
import { type Command, refusalOutcome } from "./command.ts";

export const heartbeatCommand: Command = {
  name: "heartbeat",
  usage: "/heartbeat",
  summary: "let the agent act without a message from you",
  manual: "runs a turn without a message, in which the agent may act",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument !== "") return refusalOutcome("/heartbeat takes no argument.", "/heartbeat");
    return { items: [], effect: { type: "turn", begin: (options) => agent.raise("heartbeat", options) } };
  },
};
