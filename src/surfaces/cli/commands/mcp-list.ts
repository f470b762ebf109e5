// `palimpsest mcp list`.
import type { Command } from "../command.ts";
import { serverShape, serverText, showIn } from "../mcp/server-view.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printResult } from "../print.ts";

export const mcpList: Command = {
  words: ["mcp", "list"],
  usage: "",
  summary: "list these servers, their tools and approvals",
  details:
    "Starts or reaches each server. A tool that was trusted in another definition is shown with what has changed.",
  flags: ["json", "config", "data-dir"],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { world, line } = call;
    const setup = await world.openMcp(settingsOf(line), () => undefined);
    const servers = await setup.list();
    const none = `No server is configured. To add one: ${world.command} mcp add NAME -- COMMAND`;
    const show = showIn(world);
    printResult(call, {
      json: servers.map((server) => serverShape(server, show)),
      text: servers.length === 0 ? none : servers.map((server) => serverText(server, show)).join("\n"),
    });
    return 0;
  },
};
