// Operations on the MCP servers of users that no front end under test calls.
import type { McpServerOperations } from "../../src/runtime/mcp-servers/contract.ts";

export function fakeMcpServers(notFaked: (name: string) => never): McpServerOperations {
  return {
    create: () => notFaked("mcpServers.create"),
    find: () => notFaked("mcpServers.find"),
    list: () => notFaked("mcpServers.list"),
    update: () => notFaked("mcpServers.update"),
    delete: () => notFaked("mcpServers.delete"),
    refresh: () => notFaked("mcpServers.refresh"),
    tools: () => notFaked("mcpServers.tools"),
    run: () => notFaked("mcpServers.run"),
  };
}
