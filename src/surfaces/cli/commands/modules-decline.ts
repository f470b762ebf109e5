// `palimpsest modules decline`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { offeredModule, offerNames } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesDecline: Command = {
  words: ["modules", "decline"],
  usage: "MODULE",
  summary: "decline a module that another user offers",
  details: offerNames,
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { moduleId, label } = await offeredModule(call, wordAt(call, 0));
    await (await call.runtime()).modules.decline(moduleId);
    printText(call.world, `Declined "${label}".`);
    return 0;
  },
};
