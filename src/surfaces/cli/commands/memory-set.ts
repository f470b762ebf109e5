// `palimpsest memory set`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleShape } from "../format/listing-shapes.ts";
import { printResult } from "../print.ts";
import { textAt, wordAt } from "../parse/word-argument.ts";

export const memorySet: Command = {
  words: ["memory", "set"],
  usage: "LABEL TEXT",
  summary: "replace a module of core memory; - reads stdin",
  details: "The edit is a revision: `palimpsest memory undo LABEL` undoes it.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const text = await textAt(call, 1);
    const module = await (await call.runtime()).memory.set(call.agent, wordAt(call, 0), text);
    printResult(call, {
      json: moduleShape(module),
      text: `${module.label} is now at revision ${module.revision} (${module.length}/${module.limit} characters).`,
    });
    return 0;
  },
};
