// `palimpsest schedule remove`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const scheduleRemove: Command = {
  words: ["schedule", "remove"],
  usage: "ID",
  summary: "delete a scheduled message",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    await (await call.runtime()).schedules.delete(id);
    printResult(call, { json: { removed: id }, text: `Deleted the schedule ${id}.` });
    return 0;
  },
};
