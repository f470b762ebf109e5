// `/save`: shows how to resume. MemGPT's command; here, every message is already committed.
import { type Command, noteOutcome } from "./command.ts";

export const saveCommand: Command = {
  name: "save",
  usage: "/save",
  summary: "show how to resume (everything is already saved)",
  manual: "shows how to resume; everything is already saved",
  isAlwaysReady: true,
  run: async ({ agent }) =>
    noteOutcome(
      `Every message is already saved. This is conversation ${agent.conversationId}.`,
      `\`palimpsest -a ${agent.record.name} -r ${agent.conversationId}\` resumes it.`,
    ),
};
