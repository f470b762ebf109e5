// `palimpsest modules share`.
import type { Command } from "../command.ts";
import { choiceFlag } from "../parse/choice-flag.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleNames, namedModule } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesShare: Command = {
  words: ["modules", "share"],
  usage: "MODULE USER",
  summary: "offer a module to another user, or change the access",
  details: `The user accepts with modules accept, and attaches it to own agents. ${moduleNames}`,
  flags: ["agent", "access", ...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const access = choiceFlag(call.line, "access", ["read", "append", "write"]) ?? "read";
    const user = wordAt(call, 1);
    const runtime = await call.runtime();
    const { id, label } = await namedModule(call, wordAt(call, 0));
    await runtime.modules.share(id, user, access);
    const accept = `${call.world.command} modules accept ${id} --user ${user}`;
    printText(call.world, `Offered "${label}" to "${user}" (${access}), who can accept it: ${accept}`);
    return 0;
  },
};
