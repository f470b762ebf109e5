// Opens access to the MCP servers that users have added, as far as the setting `userMcpServers` allows.
// Invariant: nothing is loaded before the first server is used.
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/settings.ts";
import type { ToolServers } from "../mcp-servers/tool-servers.ts";

export function openToolServers(
  { userMcpServers }: Pick<Config, "userMcpServers">,
  deps: { readonly clock: Clock },
): ToolServers {
  const load = async () => (await import("../../tool/mcp/user-servers.ts")).createUserServers(userMcpServers, deps);
  return {
    list: async (server) => (await load()).list(server),
    call: async (server, call) => (await load()).call(server, call),
  };
}
