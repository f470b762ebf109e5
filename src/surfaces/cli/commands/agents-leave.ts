// `palimpsest agents leave`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsLeave: Command = {
  words: ["agents", "leave"],
  usage: "OWNER/NAME",
  summary: "stop using another user's agent",
  details: "You can still read and export your conversations, memory and archive with it; agents remove deletes them.",
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    await (await call.runtime()).agents.leave(name);
    printText(call.world, `You no longer use "${name}". Your conversations and memory with it can still be read.`);
    return 0;
  },
};
