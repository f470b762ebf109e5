// `palimpsest mcp test`.
import type { Command } from "../command.ts";
import { serverShape, serverText, showIn } from "../mcp/server-view.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printResult } from "../print.ts";

export const mcpTest: Command = {
  words: ["mcp", "test"],
  usage: "NAME",
  summary: "connect to a server and describe its tools",
  details: "The exit code is 1 if the server cannot be used.",
  flags: ["json", "config", "data-dir"],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { world, line, words } = call;
    const setup = await world.openMcp(settingsOf(line), () => undefined);
    const [server] = await setup.list(words);
    if (server === undefined) return 1;
    printResult(call, {
      json: serverShape(server, showIn(world)),
      text: serverText(server, showIn(world), { hasDescriptions: true }),
    });
    return server.state === "connected" ? 0 : 1;
  },
};
