// `palimpsest recall search`.
import { branchFlag } from "../branch-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { foundShape } from "../listing-shapes.ts";
import { foundText } from "../listing-texts.ts";
import { pageFlags } from "../number-flag.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const recallSearch: Command = {
  words: ["recall", "search"],
  usage: "QUERY",
  summary: "search everything that was said",
  flags: ["agent", "all-branches", "page", "page-size", "json", ...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const page = pageFlags(call.line);
    const found = await (await call.runtime()).recall.search(call.agent, wordAt(call, 0), {
      ...page,
      ...branchFlag(call.line),
    });
    printResult(call, { json: foundShape(found), text: foundText(found) });
    return 0;
  },
};
