// `palimpsest modules accept`.
import type { Command } from "../command.ts";
import { sharedModuleShape } from "../format/module-shapes.ts";
import { storeFlags } from "../parse/flags.ts";
import { offeredModule, offerNames } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const modulesAccept: Command = {
  words: ["modules", "accept"],
  usage: "MODULE",
  summary: "accept a module that another user offers",
  details: offerNames,
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const offer = await offeredModule(call, wordAt(call, 0));
    const module = await (await call.runtime()).modules.accept(offer.moduleId);
    printResult(call, {
      json: sharedModuleShape(module),
      text: `You can now use "${module.label}" of "${module.ownerId}" (${offer.access}): ${call.world.command} modules attach ${module.id} -a NAME`,
    });
    return 0;
  },
};
