// `palimpsest recall dates`.
import { startOfDay } from "../../base/calendar.ts";
import { ConfigError } from "../../errors.ts";
import { branchFlag } from "../branch-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { foundShape } from "../listing-shapes.ts";
import { foundText } from "../listing-texts.ts";
import { neighboursFlag, pageFlags } from "../number-flag.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const recallDates: Command = {
  words: ["recall", "dates"],
  usage: "FIRST [LAST]",
  summary: "show what was said on days YYYY-MM-DD, both included",
  details: "Days are days in the agent's time zone. Without LAST, the one day.",
  flags: ["agent", "neighbours", "all-branches", "page", "page-size", "json", ...storeFlags],
  takes: { least: 1, most: 2 },
  async run(call) {
    const start = day(wordAt(call, 0));
    const end = day(call.words[1] ?? start);
    if (end < start)
      throw new ConfigError(`The last day, ${end}, is before the first, ${start}: write them the other way round.`);
    const asked = { ...pageFlags(call.line), ...branchFlag(call.line), ...neighboursFlag(call.line) };
    const found = await (await call.runtime()).recall.searchDate(call.agent, { start, end }, asked);
    printResult(call, { json: foundShape(found), text: foundText(found) });
    return 0;
  },
};

function day(text: string): string {
  if (startOfDay(text, "UTC") !== undefined) return text;
  throw new ConfigError(`Expected a day such as 2026-11-21, got "${text}".`);
}
