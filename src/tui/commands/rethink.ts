// `/rethink TEXT`: puts another thought into the agent's last reply, after MemGPT's command. The reply before becomes a branch.
import { type Command, refusalOutcome } from "./command.ts";

export const rethinkCommand: Command = {
  name: "rethink",
  usage: "/rethink TEXT",
  summary: "replace the thought of the last reply; keeps the old branch",
  manual: "replaces the thought of the last reply",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument === "")
      return refusalOutcome("Expected what the last reply is to think.", "/rethink She likes boats.");
    const { after } = await agent.rethink(argument);
    return {
      items: [
        { kind: "notice", level: "note", text: "The last reply thinks this from now on. /branch has it as it was." },
        { kind: "thought", text: after, continues: false },
      ],
    };
  },
};
