// `palimpsest synopsis refresh`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { synopsisShape, synopsisText } from "../format/synopsis-text.ts";

export const synopsisRefresh: Command = {
  words: ["synopsis", "refresh"],
  usage: "",
  summary: "regenerate the synopsis (one model call)",
  flags: ["agent", "base-url", "openai-api", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const synopsis = await (await call.runtime()).synopsis.refresh(call.agent);
    printResult(call, { json: synopsisShape(synopsis), text: synopsisText(synopsis, call.world.command) });
    return 0;
  },
};
