// `palimpsest modules set`.
import { codePointLength } from "../../../base/code-points.ts";
import type { Command } from "../command.ts";
import { sharedModuleShape } from "../format/module-shapes.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleNames, namedModule } from "../parse/named-module.ts";
import { textAt, wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const modulesSet: Command = {
  words: ["modules", "set"],
  usage: "MODULE TEXT",
  summary: "replace the text of a module, for all who hold it",
  details: `TEXT - reads the text from standard input. ${moduleNames}`,
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const { id } = await namedModule(call, wordAt(call, 0));
    const value = await textAt(call, 1);
    const module = await (await call.runtime()).modules.update(id, { value });
    printResult(call, {
      json: sharedModuleShape(module),
      text: `Set "${module.label}" (${codePointLength(module.value)}/${module.limit} characters), revision ${module.revision}.`,
    });
    return 0;
  },
};
