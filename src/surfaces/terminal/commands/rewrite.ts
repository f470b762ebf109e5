// `/rewrite TEXT`: replaces the text of the agent's last reply, like MemGPT's command. The old reply becomes a branch.
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
        { kind: "notice", level: "note", text: "Replaced the text of the last reply. /branch lists the old reply." },
        { kind: "reply", text: after, continues: false },
      ],
    };
  },
};
