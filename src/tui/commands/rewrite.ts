// `/rewrite TEXT`: puts other words into the agent's last reply, after MemGPT's command. The reply before becomes a branch.
import { type Command, refusalOutcome } from "./command.ts";

export const rewriteCommand: Command = {
  name: "rewrite",
  usage: "/rewrite TEXT",
  summary: "replace the text of the last reply; keeps the old branch",
  manual: "replaces the text of the last reply; the old reply becomes a branch",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    if (argument === "") return refusalOutcome("Expected what the last reply is to say.", "/rewrite Your boat is red.");
    const { after } = await agent.rewrite(argument);
    return {
      items: [
        { kind: "notice", level: "note", text: "The last reply says this from now on. /branch has it as it was." },
        { kind: "reply", text: after, continues: false },
      ],
    };
  },
};
