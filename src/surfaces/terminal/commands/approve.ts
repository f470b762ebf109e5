// `/approve [JSON]`: runs the call that waits for approval, optionally with other arguments, and continues the turn.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const approveCommand: Command = {
  name: "approve",
  usage: "/approve [JSON]",
  summary: "approve the waiting call, or run it with other arguments",
  manual: "runs the call that waits for approval, optionally with other arguments; short: `y`",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const [waiting] = agent.pendingApprovals;
    if (waiting === undefined) return noteOutcome("No call waits for approval.");
    const edited = argument === "" ? {} : parseObject(argument);
    if (edited === undefined) {
      return refusalOutcome(
        "Expected the arguments as a JSON object. The call still waits.",
        `/approve ${waiting.arguments}`,
      );
    }
    const options = argument === "" ? {} : { arguments: edited };
    return {
      items: [],
      effect: { type: "turn", begin: ({ signal }) => agent.approve(waiting.callId, { ...options, signal }) },
    };
  },
};

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    // The caller reports the error, with an example.
    return undefined;
  }
}
