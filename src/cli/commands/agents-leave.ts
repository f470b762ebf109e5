// `palimpsest agents leave`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsLeave: Command = {
  words: ["agents", "leave"],
  usage: "OWNER/NAME",
  summary: "stop using another user's agent",
  details:
    "Your conversations with it, its memory of you and its archive stay yours to read and export; agents remove deletes them.",
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    await (await call.runtime()).agents.leave(name);
    printText(call.world, `You do not use "${name}" any more. What you have with it can still be read.`);
    return 0;
  },
};
