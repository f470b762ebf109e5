// `palimpsest detach`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const detach: Command = {
  words: ["detach"],
  usage: "SOURCE",
  summary: "detach a source from an agent (deletes nothing)",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const source = wordAt(call, 0);
    const detached = await (await call.runtime()).sources.detach(call.agent, source);
    const text = detached
      ? `"${call.agent}" no longer searches "${source}".`
      : `"${call.agent}" did not search "${source}".`;
    printResult(call, { json: { detached }, text });
    return 0;
  },
};
