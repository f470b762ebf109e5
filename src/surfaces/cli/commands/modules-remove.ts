// `palimpsest modules remove`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleNames, namedModule } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesRemove: Command = {
  words: ["modules", "remove"],
  usage: "MODULE --yes",
  summary: "delete a module with its history, for every holder",
  details: moduleNames,
  flags: ["agent", "yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { modules } = await call.runtime();
    const { id, label } = await namedModule(call, wordAt(call, 0));
    if (!call.line.switches.has("yes")) {
      const holders = await modules.holders(id);
      const held =
        holders.length === 0 ? "" : `, which ${holders.map(({ agentName }) => agentName).join(", ")} would lose`;
      throw new ConfigError(
        `This would permanently delete the module "${label}" with its history${held}. To confirm, add --yes.`,
      );
    }
    await modules.delete(id);
    printText(call.world, `Deleted the module "${label}".`);
    return 0;
  },
};
