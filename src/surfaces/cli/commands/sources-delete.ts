// `palimpsest sources delete`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const sourcesDelete: Command = {
  words: ["sources", "delete"],
  usage: "NAME --yes",
  summary: "delete a source and its passages, for every agent",
  flags: ["yes", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { sources } = await call.runtime();
    const { id, name, passages, agents } = await sources.show(wordAt(call, 0));
    if (!call.line.switches.has("yes")) {
      const whose = agents.length === 0 ? "" : `, which ${agents.join(", ")} can search`;
      throw new ConfigError(
        `This would permanently delete "${name}" with its ${passages.toLocaleString("en-US")} passages${whose}. To confirm, add --yes.`,
      );
    }
    await sources.delete(id);
    printResult(call, { json: { deleted: name, passages }, text: `Deleted source "${name}".` });
    return 0;
  },
};
