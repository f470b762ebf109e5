// `/retry`: answers the last message of the user again; the answer before becomes a branch.
import { type Command, refusalOutcome } from "./command.ts";

export const retryCommand: Command = {
  name: "retry",
  usage: "/retry",
  summary: "take the last answer back and answer again",
  isAlwaysReady: false,
  async run({ agent }) {
    const last = agent.messages.findLast((message) => message.role === "user" && message.kind === "message");
    if (last === undefined) return refusalOutcome("There is no message of yours to answer again.");
    return {
      items: [{ kind: "user", text: last.text }],
      effect: { type: "turn", begin: (options) => agent.retry(options) },
    };
  },
};
