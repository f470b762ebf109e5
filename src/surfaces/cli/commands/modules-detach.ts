// `palimpsest modules detach`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleOfAgent } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesDetach: Command = {
  words: ["modules", "detach"],
  usage: "MODULE",
  summary: "detach a module from an agent (deletes nothing)",
  details: "MODULE is an id, or the label of a module of the agent.",
  flags: ["agent", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const runtime = await call.runtime();
    const { id, label } = await moduleOfAgent(call, wordAt(call, 0));
    const isEnded = await runtime.modules.detach(call.agent, id);
    printText(
      call.world,
      isEnded
        ? `"${call.agent}" no longer has "${label}". The module stays.`
        : `"${call.agent}" did not have "${label}".`,
    );
    return 0;
  },
};
