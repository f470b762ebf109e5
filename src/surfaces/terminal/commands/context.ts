// `/context`: shows the content of the window by tier, and its size at the last model calls.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

const shownSteps = 40;

export const contextCommand: Command = {
  name: "context",
  usage: "/context",
  summary: "show what is in the window, and what was left out",
  manual: "shows the content of the window by tier: [context.md](context.md)",
  isAlwaysReady: true,
  async run({ agent, argument }) {
    if (argument !== "")
      return refusalOutcome("/context takes no argument.", "`palimpsest context --step N` shows earlier ones.");
    const steps = await agent.steps(shownSteps);
    const { report } = agent.context();
    if (report.window === 0) return noteOutcome("The model has no window.");
    return { items: [{ kind: "window", report, steps }] };
  },
};
