// `palimpsest modules show`.
import type { Command } from "../command.ts";
import { heldModuleShape } from "../format/module-shapes.ts";
import { moduleText } from "../format/module-texts.ts";
import { storeFlags } from "../parse/flags.ts";
import { heldModule, moduleNames, namedModule } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const modulesShow: Command = {
  words: ["modules", "show"],
  usage: "MODULE",
  summary: "show a module, who holds it and with whom it is shared",
  details: moduleNames,
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const module = await heldModule(await call.runtime(), await namedModule(call, wordAt(call, 0)));
    printResult(call, { json: heldModuleShape(module), text: moduleText(module) });
    return 0;
  },
};
