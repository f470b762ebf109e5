// `palimpsest recall search`.
import { branchFlag } from "../branch-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { foundPieces } from "../found-pieces.ts";
import { foundShape } from "../listing-shapes.ts";
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
    const query = wordAt(call, 0);
    const found = await (await call.runtime()).recall.search(call.agent, query, {
      ...page,
      ...branchFlag(call.line),
    });
    printResult(call, { json: foundShape(found), text: foundPieces(found, { query }) });
    return 0;
  },
};
