// `palimpsest mcp remove`.
import type { Command } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printText } from "../print.ts";

export const mcpRemove: Command = {
  words: ["mcp", "remove"],
  usage: "NAME",
  summary: "remove a server from the configuration file",
  flags: ["config", "data-dir"],
  takes: { min: 1, max: 1 },
  async run(call) {
    const [name = ""] = call.words;
    const setup = await call.world.openMcp(settingsOf(call.line), () => undefined);
    const { file } = await setup.remove(name);
    printText(call.world, `Removed "${name}" from ${file}.`);
    return 0;
  },
};
