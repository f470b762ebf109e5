// `/fork`: continues in a copy of the conversation; the original does not change.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const forkCommand: Command = {
  name: "fork",
  usage: "/fork",
  summary: "continue in a copy of this conversation; shares memory",
  manual: "continues in a copy of the conversation; both share memory",
  isAlwaysReady: false,
  async run({ runtime, agent, argument }) {
    if (argument !== "") return refusalOutcome("/fork takes no argument.", "/branch switches within a conversation.");
    const { id } = await runtime.conversations.fork(agent.conversationId);
    const opened = await runtime.agents.open(agent.record.id, { conversation: { id } });
    const note = noteOutcome(
      "Continuing in a copy of the conversation. Both share core memory and the archive.",
      `/resume ${agent.conversationId} returns to the original.`,
    );
    return { ...note, effect: { type: "open", agent: opened } };
  },
};
