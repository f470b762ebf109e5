// `palimpsest modules attach`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleOfAny } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesAttach: Command = {
  words: ["modules", "attach"],
  usage: "MODULE",
  summary: "attach a module to an agent",
  details: "MODULE is an id, or a label that only one module has. The agent has the module with its next request.",
  flags: ["agent", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const runtime = await call.runtime();
    const { id, label } = await moduleOfAny(call, wordAt(call, 0));
    const isNew = await runtime.modules.attach(call.agent, id);
    printText(call.world, isNew ? `"${call.agent}" now has "${label}".` : `"${call.agent}" had "${label}" already.`);
    return 0;
  },
};
