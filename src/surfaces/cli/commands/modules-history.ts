// `palimpsest modules history`.
import type { Command } from "../command.ts";
import { moduleRevisionShape } from "../format/module-shapes.ts";
import { editText } from "../format/module-texts.ts";
import { storeFlags } from "../parse/flags.ts";
import { moduleNames, namedModule } from "../parse/named-module.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const modulesHistory: Command = {
  words: ["modules", "history"],
  usage: "MODULE",
  summary: "show the edits of a module by all holders, newest first",
  details: moduleNames,
  flags: ["agent", "limit", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const limit = limitFlag(call.line);
    const runtime = await call.runtime();
    const { id } = await namedModule(call, wordAt(call, 0));
    const [revisions, holders] = [await runtime.modules.revisions(id, limit), await runtime.modules.holders(id)];
    const text = revisions.map((revision) => editText(revision, holders)).join("\n\n");
    printResult(call, {
      json: revisions.map(moduleRevisionShape),
      text: revisions.length === 0 ? "There are no edits yet." : text,
    });
    return 0;
  },
};
