// `/rename`: the title of the conversation in listings.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const renameCommand: Command = {
  name: "rename",
  usage: "/rename TITLE",
  summary: "set the title of this conversation",
  isAlwaysReady: true,
  async run({ runtime, agent, argument }) {
    if (argument === "") return refusalOutcome("Missing title: /rename TITLE", "/resume lists the conversations.");
    const { title } = await runtime.conversations.rename(agent.conversationId, argument);
    return noteOutcome(`This conversation is now called "${title}".`);
  },
};
