// `palimpsest mcp logout`.
import type { Command } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printText } from "../print.ts";

export const mcpLogout: Command = {
  words: ["mcp", "logout"],
  usage: "NAME",
  summary: "forget the sign-in to a server",
  details: "Removes the tokens from the data folder. To revoke them, use the page of the server.",
  flags: ["config", "data-dir"],
  takes: { min: 1, max: 1 },
  async run({ world, line, words }) {
    const [name = ""] = words;
    const setup = await world.openMcp(settingsOf(line), () => undefined);
    const wasSignedIn = await setup.signOut(name);
    printText(world, wasSignedIn ? `Signed out of "${name}".` : `You were not signed in to "${name}".`);
    return 0;
  },
};
