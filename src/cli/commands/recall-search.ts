// `palimpsest recall search`.
import { branchFlag } from "../branch-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { foundShape } from "../listing-shapes.ts";
import { foundText } from "../listing-texts.ts";
import { neighboursFlag, pageFlags } from "../number-flag.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const recallSearch: Command = {
  words: ["recall", "search"],
  usage: "QUERY",
  summary: "search everything that was said, by words and by meaning",
  details: "A query in double quotes, as in palimpsest recall search '\"to the letter\"', finds exactly that text.",
  flags: ["agent", "neighbours", "explain", "all-branches", "page", "page-size", "json", ...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const isExplained = call.line.switches.has("explain");
    const found = await (await call.runtime()).recall.search(call.agent, wordAt(call, 0), {
      ...pageFlags(call.line),
      ...branchFlag(call.line),
      ...neighboursFlag(call.line),
    });
    printResult(call, { json: foundShape(found), text: foundText(found, { isExplained }) });
    return 0;
  },
};
