// `palimpsest synopsis show`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { synopsisShape, synopsisText } from "../format/synopsis-text.ts";

export const synopsisShow: Command = {
  words: ["synopsis", "show"],
  usage: "",
  summary: "show the synopsis of archival memory",
  details: "The agent's summarizer writes it if the setting is on: agents set synopsis on. Details: docs/memory.md.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const synopsis = await (await call.runtime()).synopsis.show(call.agent);
    printResult(call, { json: synopsisShape(synopsis), text: synopsisText(synopsis, call.world.command) });
    return 0;
  },
};
