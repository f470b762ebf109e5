// `/deny [REASON]`: denies the call that waits for approval, reports this to the model, and continues the turn.
import { type Command, noteOutcome } from "./command.ts";

export const denyCommand: Command = {
  name: "deny",
  usage: "/deny [REASON]",
  summary: "deny the waiting call, with a reason",
  manual: "denies the call; short: `n REASON`",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const [waiting] = agent.pendingApprovals;
    if (waiting === undefined) return noteOutcome("No call waits for approval.");
    const options = argument === "" ? {} : { reason: argument };
    return {
      items: [],
      effect: { type: "turn", begin: ({ signal }) => agent.deny(waiting.callId, { ...options, signal }) },
    };
  },
};
