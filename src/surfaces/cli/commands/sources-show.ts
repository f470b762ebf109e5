// `palimpsest sources show`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { sourceFileShape, sourceShape } from "../format/source-shapes.ts";
import { sourceText } from "../format/source-texts.ts";
import { wordAt } from "../parse/word-argument.ts";

export const sourcesShow: Command = {
  words: ["sources", "show"],
  usage: "NAME",
  summary: "show a source and its files, with those that failed",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { sources } = await call.runtime();
    const name = wordAt(call, 0);
    const [source, files] = [await sources.show(name), await sources.files(name)];
    printResult(call, {
      json: { ...sourceShape(source), loaded: files.map(sourceFileShape) },
      text: sourceText(source, files),
    });
    return 0;
  },
};
