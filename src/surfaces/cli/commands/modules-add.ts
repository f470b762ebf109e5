// `palimpsest modules add`.
import type { Command } from "../command.ts";
import { sharedModuleShape } from "../format/module-shapes.ts";
import { storeFlags } from "../parse/flags.ts";
import { textAt, wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const modulesAdd: Command = {
  words: ["modules", "add"],
  usage: "LABEL [TEXT]",
  summary: "create a module that several agents can hold",
  details: "TEXT - reads the text from standard input. No agent holds the module until modules attach.",
  flags: ["description", "tag", "json", ...storeFlags],
  takes: { min: 1, max: 2 },
  async run(call) {
    const { description } = call.line.texts;
    const { tag: tags = [] } = call.line.lists;
    const value = call.words.length > 1 ? await textAt(call, 1) : "";
    const { modules } = await call.runtime();
    const module = await modules.create({
      label: wordAt(call, 0),
      value,
      tags,
      ...(description === undefined ? {} : { description }),
    });
    printResult(call, {
      json: sharedModuleShape(module),
      text: `Created the module "${module.label}": ${module.id}. To give it to an agent: ${call.world.command} modules attach ${module.id} -a NAME`,
    });
    return 0;
  },
};
