// The port to the MCP servers that users have added.
// Invariant: only servers that the host allows are reached, and no connection outlives the call that needed it.
import type { McpServerPlace, OfferedTool } from "../../store/port/mcp-server-store.ts";

export interface ServerAddress {
  /** The name of the server, which is the prefix of its tools' names. */
  readonly name: string;
  readonly place: McpServerPlace;
}

export interface ServedCall {
  readonly toolName: string;
  /** The hash of the tool's definition. The call is sent only if the server still defines the tool in this way. */
  readonly hash: string;
  readonly args: unknown;
  readonly signal: AbortSignal;
}

export interface ServerOffer {
  readonly tools: readonly Omit<OfferedTool, "id">[];
  /** Why tools were left out, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Both functions throw RequestError `mcp_server_refused` for a server that the host does not allow, and ToolError for a server
 * that fails.
 */
export interface ToolServers {
  list(server: ServerAddress): Promise<ServerOffer>;
  /** Calls a tool and returns its result in the form that tools return to the model. */
  call(server: ServerAddress, call: ServedCall): Promise<unknown>;
}
