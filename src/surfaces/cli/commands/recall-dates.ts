// `palimpsest recall dates`.
import { branchFlag } from "../parse/branch-flag.ts";
import type { Command } from "../command.ts";
import { checkDays, dayOf } from "../parse/day-flag.ts";
import { storeFlags } from "../parse/flags.ts";
import { foundPieces } from "../format/found-pieces.ts";
import { foundShape } from "../format/listing-shapes.ts";
import { neighboursFlag, pageFlags } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const recallDates: Command = {
  words: ["recall", "dates"],
  usage: "FIRST [LAST]",
  summary: "show the messages between two days, both included",
  details: "Days are in the agent's time zone. Without LAST: the single day FIRST.",
  flags: ["agent", "neighbours", "all-branches", "page", "page-size", "json", ...storeFlags],
  takes: { min: 1, max: 2 },
  async run(call) {
    const start = dayOf(wordAt(call, 0));
    const end = dayOf(call.words[1] ?? start);
    checkDays(start, end);
    const asked = { ...pageFlags(call.line), ...branchFlag(call.line), ...neighboursFlag(call.line) };
    const found = await (await call.runtime()).recall.searchDate(call.agent, { start, end }, asked);
    printResult(call, { json: foundShape(found), text: foundPieces(found) });
    return 0;
  },
};
