// `/btw QUESTION`: answers a side question from the current window; neither question nor answer is stored.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const btwCommand: Command = {
  name: "btw",
  usage: "/btw QUESTION",
  summary: "ask a question that is not kept; memory stays as it is",
  manual:
    "answers from the current window, also while the agent works; stores nothing, runs no tool, and does not count in `/usage`",
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
