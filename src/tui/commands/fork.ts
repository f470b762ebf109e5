// `/fork`: goes on in a copy of the conversation; the one that was forked stays as it is.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const forkCommand: Command = {
  name: "fork",
  usage: "/fork",
  summary: "continue in a copy of this conversation; shares memory",
  manual: "continues in a copy of the conversation; both share memory",
  isAlwaysReady: false,
  async run({ runtime, agent, argument }) {
    if (argument !== "")
      return refusalOutcome("/fork takes nothing after it.", "/branch goes back within a conversation.");
    const { id } = await runtime.conversations.fork(agent.conversationId);
    const opened = await runtime.agents.open(agent.record.id, { conversation: { id } });
    const note = noteOutcome(
      "Going on in a copy of the conversation. Core memory and the archive are the same in both.",
      `/resume ${agent.conversationId} goes back to the one before.`,
    );
    return { ...note, effect: { type: "open", agent: opened } };
  },
};
