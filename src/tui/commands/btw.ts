// `/btw QUESTION`: an answer from what the agent sees now, beside the conversation; neither is kept.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const btwCommand: Command = {
  name: "btw",
  usage: "/btw QUESTION",
  summary: "ask a question that is not kept; memory stays as it is",
  isAlwaysReady: true,
  async run({ agent, argument, signal }) {
    if (argument === "") return refusalOutcome("Expected a question.", "/btw What was the name of my boat?");
    const { text } = await agent.ask(argument, { signal });
    return {
      items: [
        { kind: "reply", text, continues: false },
        ...noteOutcome("Beside the conversation: neither the question nor the answer is kept.").items,
      ],
    };
  },
};
