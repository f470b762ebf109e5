// Every function of a user's store for MCP servers, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { newMcpServer, newOfferedTool } from "./store-builders.ts";

const at = new Date("2026-11-21T10:00:00Z");

export const mcpServerCases: Readonly<Record<string, PortCase>> = {
  "mcpServers.create": [
    async (user, of) => {
      // The id and the name are taken by another user's server, and free for this one.
      await user.mcpServers.create({
        ...newMcpServer("intrusion"),
        id: of.mcpServerId,
        name: `server ${of.mcpServerId}`,
      });
      return user.mcpServers.delete(of.mcpServerId);
    },
    true,
  ],
  "mcpServers.find": [(user, of) => user.mcpServers.find(of.mcpServerId), null],
  "mcpServers.list": [async (user, of) => (await user.mcpServers.list()).filter(({ id }) => id === of.mcpServerId), []],
  "mcpServers.update": [(user, of) => user.mcpServers.update(of.mcpServerId, { metadata: {} }), null],
  "mcpServers.delete": [(user, of) => user.mcpServers.delete(of.mcpServerId), false],
  "mcpServers.putTools": [
    (user, of) => user.mcpServers.putTools(of.mcpServerId, [newOfferedTool("intrusion")], at),
    null,
  ],
};
