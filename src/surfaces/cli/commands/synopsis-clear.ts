// `palimpsest synopsis clear`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const synopsisClear: Command = {
  words: ["synopsis", "clear"],
  usage: "",
  summary: "delete the synopsis",
  details:
    "With the setting on, the next turn regenerates it from the archive. To remove a fact, delete its passage with archival remove.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const parts = await (await call.runtime()).synopsis.clear(call.agent);
    printResult(call, { json: { parts }, text: parts === 0 ? "There was no synopsis." : "Deleted the synopsis." });
    return 0;
  },
};
