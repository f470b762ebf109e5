// `palimpsest recall search`.
import { branchFlag } from "../parse/branch-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { foundPieces } from "../format/found-pieces.ts";
import { foundShape } from "../format/listing-shapes.ts";
import { neighboursFlag, pageFlags } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import { queryAt } from "../parse/word-argument.ts";

export const recallSearch: Command = {
  words: ["recall", "search"],
  usage: "QUERY",
  summary: "search all messages, by words and by meaning",
  details: "A query in double quotes, as in `palimpsest recall search '\"exact words\"'`, finds exactly that text.",
  flags: ["agent", "neighbours", "explain", "all-branches", "page", "page-size", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const query = queryAt(call, 0);
    const isExplained = call.line.switches.has("explain");
    const found = await (await call.runtime()).recall.search(call.agent, query, {
      ...pageFlags(call.line),
      ...branchFlag(call.line),
      ...neighboursFlag(call.line),
    });
    printResult(call, { json: foundShape(found), text: foundPieces(found, { query, isExplained }) });
    return 0;
  },
};
