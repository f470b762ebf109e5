// `palimpsest agents decline`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsDecline: Command = {
  words: ["agents", "decline"],
  usage: "OWNER/NAME",
  summary: "decline an offer to use another user's agent",
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    await (await call.runtime()).agents.decline(name);
    printText(call.world, `Declined "${name}".`);
    return 0;
  },
};
