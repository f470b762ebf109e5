// `palimpsest retention apply`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { sweepShape } from "../format/listing-shapes.ts";
import { sweepText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";

export const retentionApply: Command = {
  words: ["retention", "apply"],
  usage: "",
  summary: "apply the agent's retention policy now",
  details:
    "The agent's setting `retention` comes from the configuration at its creation; by default nothing is deleted.\n" +
    "Messages in a window and the newest revision of a module always stay. The policy also runs once a day.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const sweep = await (await call.runtime()).retention.apply(call.agent);
    printResult(call, { json: sweepShape(sweep), text: sweepText(sweep) });
    return 0;
  },
};
