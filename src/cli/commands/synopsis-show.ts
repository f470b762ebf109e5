// `palimpsest synopsis show`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { synopsisShape, synopsisText } from "../format/synopsis-text.ts";

export const synopsisShow: Command = {
  words: ["synopsis", "show"],
  usage: "",
  summary: "show the synopsis of archival memory",
  details:
    "It is made by the agent's summarizer, for agents that have the setting: agents set synopsis on. docs/memory.md tells how.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const synopsis = await (await call.runtime()).synopsis.show(call.agent);
    printResult(call, { json: synopsisShape(synopsis), text: synopsisText(synopsis) });
    return 0;
  },
};
