// `palimpsest sources list`.
import { nameCommand } from "../../../base/started-command.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { sourceShape } from "../format/source-shapes.ts";
import { sourcesText } from "../format/source-texts.ts";

export const sourcesList: Command = {
  words: ["sources", "list"],
  usage: "",
  summary: "list your sources and the agents that search them",
  flags: ["json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const sources = await (await call.runtime()).sources.list();
    printResult(call, { json: sources.map(sourceShape), text: nameCommand(sourcesText(sources), call.world.command) });
    return 0;
  },
};
