// `palimpsest attach`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const attach: Command = {
  words: ["attach"],
  usage: "SOURCE",
  summary: "attach a source to an agent (copies nothing)",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const source = wordAt(call, 0);
    const attached = await (await call.runtime()).sources.attach(call.agent, source);
    const text = attached
      ? `"${call.agent}" now searches "${source}".`
      : `"${call.agent}" already searches "${source}".`;
    printResult(call, { json: { attached }, text });
    return 0;
  },
};
