// Every function of a user's store for MCP servers, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { newMcpServer, newOfferedTool } from "./store-builders.ts";

const at = new Date("2026-11-21T10:00:00Z");

export const mcpServerCases: Readonly<Record<string, PortCase>> = {
  "mcpServers.create": {
    call: async (user, of) => {
      // The id and the name are taken by another user's server, and free for this one.
      await user.mcpServers.create({
        ...newMcpServer("intrusion"),
        id: of.mcpServerId,
        name: `server ${of.mcpServerId}`,
      });
      return user.mcpServers.delete(of.mcpServerId);
    },
    gives: true,
  },
  "mcpServers.find": { call: (user, of) => user.mcpServers.find(of.mcpServerId), gives: null },
  "mcpServers.list": {
    call: async (user, of) => (await user.mcpServers.list()).filter(({ id }) => id === of.mcpServerId),
    gives: [],
  },
  "mcpServers.update": { call: (user, of) => user.mcpServers.update(of.mcpServerId, { metadata: {} }), gives: null },
  "mcpServers.delete": { call: (user, of) => user.mcpServers.delete(of.mcpServerId), gives: false },
  "mcpServers.putTools": {
    call: (user, of) => user.mcpServers.putTools(of.mcpServerId, [newOfferedTool("intrusion")], at),
    gives: null,
  },
};
