// `/save`: MemGPT's command, which has nothing left to do: every message is committed as it happens.
import { type Command, noteOutcome } from "./command.ts";

export const saveCommand: Command = {
  name: "save",
  usage: "/save",
  summary: "show how to resume (everything is saved already)",
  manual: "shows how to resume; everything is already saved",
  isAlwaysReady: true,
  run: async ({ agent }) =>
    noteOutcome(
      `Everything is saved already, message by message. This is conversation ${agent.conversationId}.`,
      `palimpsest -a ${agent.record.name} -r ${agent.conversationId}`,
    ),
};
