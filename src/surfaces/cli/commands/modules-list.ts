// `palimpsest modules list`.
import type { Command } from "../command.ts";
import { heldModuleShape } from "../format/module-shapes.ts";
import { modulesText } from "../format/module-texts.ts";
import { storeFlags } from "../parse/flags.ts";
import { heldModule } from "../parse/named-module.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";

export const modulesList: Command = {
  words: ["modules", "list"],
  usage: "",
  summary: "list modules of your agents, and those shared with you",
  flags: ["tag", "limit", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const limit = limitFlag(call.line);
    const { tag: tags } = call.line.lists;
    const runtime = await call.runtime();
    const modules = await runtime.modules.list({ limit, ...(tags === undefined ? {} : { tags }) });
    const rows = await Promise.all(modules.map((module) => heldModule(runtime, module)));
    printResult(call, { json: rows.map(heldModuleShape), text: modulesText(rows) });
    return 0;
  },
};
