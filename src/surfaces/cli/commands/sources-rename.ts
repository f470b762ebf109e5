// `palimpsest sources rename`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { sourceShape } from "../format/source-shapes.ts";
import { wordAt } from "../parse/word-argument.ts";

export const sourcesRename: Command = {
  words: ["sources", "rename"],
  usage: "OLD NEW",
  summary: "rename a source; agents keep searching it",
  flags: ["json", ...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const old = wordAt(call, 0);
    const source = await (await call.runtime()).sources.update(old, { name: wordAt(call, 1) });
    printResult(call, { json: sourceShape(source), text: `Renamed source "${old}" to "${source.name}".` });
    return 0;
  },
};
