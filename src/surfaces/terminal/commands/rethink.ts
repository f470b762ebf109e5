// `/rethink TEXT`: replaces the thought of the agent's last reply, like MemGPT's command. The old reply becomes a branch.
import { type Command, refusalOutcome } from "./command.ts";

export const rethinkCommand: Command = {
  name: "rethink",
  usage: "/rethink TEXT",
  summary: "replace the thought of the last reply; keeps the old branch",
  manual: "replaces the thought of the last reply",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument === "") return refusalOutcome("Missing text: /rethink TEXT.", "/rethink She likes boats.");
    const { after } = await agent.rethink(argument);
    return {
      items: [
        { kind: "notice", level: "note", text: "Replaced the thought of the last reply. /branch lists the old reply." },
        { kind: "thought", text: after, milliseconds: 0, isShown: true },
      ],
    };
  },
};
