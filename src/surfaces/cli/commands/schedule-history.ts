// `palimpsest schedule history`.
import type { Command } from "../command.ts";
import { runText } from "../format/schedule-text.ts";
import { storeFlags } from "../parse/flags.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const scheduleHistory: Command = {
  words: ["schedule", "history"],
  usage: "ID",
  summary: "list what became of a scheduled message, newest first",
  flags: ["limit", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const runs = await (await call.runtime()).schedules.runs(wordAt(call, 0), limitFlag(call.line));
    printResult(call, {
      json: runs,
      text: runs.length === 0 ? "It was not due yet." : runs.map(runText).join("\n"),
    });
    return 0;
  },
};
