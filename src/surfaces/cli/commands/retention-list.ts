// `palimpsest retention list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { sweepShape } from "../format/listing-shapes.ts";
import { sweepText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";

export const retentionList: Command = {
  words: ["retention", "list"],
  usage: "",
  summary: "list what retention deleted, newest first",
  flags: ["agent", "limit", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const sweeps = await (await call.runtime()).retention.list(call.agent, limitFlag(call.line));
    printResult(call, {
      json: sweeps.map(sweepShape),
      text: sweeps.length === 0 ? "Nothing was deleted yet." : sweeps.map(sweepText).join("\n"),
    });
    return 0;
  },
};
