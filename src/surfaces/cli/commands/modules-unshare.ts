// `palimpsest modules unshare`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleNames, namedModule } from "../parse/named-module.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printText } from "../print.ts";

export const modulesUnshare: Command = {
  words: ["modules", "unshare"],
  usage: "MODULE [USER]",
  summary: "end or withdraw the sharing of a module with a user",
  details: `The user's agents lose the module. Without USER: stop using a module of another user. ${moduleNames}`,
  flags: ["agent", ...storeFlags],
  takes: { min: 1, max: 2 },
  async run(call) {
    const runtime = await call.runtime();
    const user = call.words[1] ?? runtime.userId;
    const { id, label } = await namedModule(call, wordAt(call, 0));
    const isEnded = await runtime.modules.unshare(id, user);
    printText(
      call.world,
      isEnded ? `"${label}" is no longer shared with "${user}".` : `"${label}" was not shared with "${user}".`,
    );
    return 0;
  },
};
