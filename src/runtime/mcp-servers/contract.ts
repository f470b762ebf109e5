// Operations on the MCP servers that a user has added, in contrast to those of the setting `mcpServers`, which all users share.
// Invariant: types only; each operation acts for the runtime's user only, and no value of a header or a variable is returned.
import type { StoredTool } from "../store/port/stored-tool-store.ts";

/** A server of the user. Its tools are stored tools of the kind `mcp`, which are attached to agents as others. */
export interface UserMcpServer {
  readonly id: string;
  readonly name: string;
  /** Null for a program. */
  readonly url: string | null;
  /** Null for a server over HTTP. */
  readonly command: string | null;
  readonly args: readonly string[];
  /** The values are secrets, and are not returned. */
  readonly headerNames: readonly string[];
  readonly envNames: readonly string[];
  /** A JSON object of the caller's own. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A URL with headers, or a command with its environment. */
export interface McpServerOptions {
  /** 1 to 64 letters, digits, spaces, `_` and `-`. */
  readonly name?: string;
  /** Of a server over streamable HTTP. */
  readonly url?: string;
  /** Sent with each request. In a change: those given are set, those that are null removed, others stay. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Of a program on this machine, if the host allows programs. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** In a change as `headers`. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** A JSON object of the caller's own. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface NewMcpServer extends McpServerOptions {
  readonly name: string;
  /** A UUID; default a new one. */
  readonly id?: string;
}

/** What a refresh has changed, as names of tools on the server. */
export interface McpServerRefresh {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
  /** Why tools were left out, or why the server was not reached. */
  readonly problems: readonly string[];
}

export interface McpServerChange {
  readonly server: UserMcpServer;
  readonly refresh: McpServerRefresh;
}

export interface McpToolResult {
  readonly status: "ok" | "failed";
  readonly text: string;
}

/**
 * Functions throw RequestError `mcp_server_not_found` for an unknown id, and `input_invalid` for an invalid option; nothing is written
 * then.
 */
export interface McpServerOperations {
  /**
   * Adds a server, with the tools that it has now: none if it cannot be reached. Throws RequestError `mcp_server_refused` for one that
   * the host does not allow, and `mcp_server_exists` for a name in use; nothing is written then.
   */
  create(server: NewMcpServer): Promise<McpServerChange>;
  find(id: string): Promise<UserMcpServer>;
  /** All, oldest first. */
  list(): Promise<readonly UserMcpServer[]>;
  /** Changes what is given, and refreshes the tools. Throws as `create`. */
  update(id: string, change: McpServerOptions): Promise<McpServerChange>;
  /** Deletes a server with its tools, also those that agents have. */
  delete(id: string): Promise<void>;
  /**
   * Makes the stored tools those that the server has. One with another definition waits for approval again. Throws RequestError
   * `mcp_server_unreachable`, with nothing changed.
   */
  refresh(id: string): Promise<McpServerRefresh>;
  tools(id: string): Promise<readonly StoredTool[]>;
  /** Runs a tool without an agent. A failure is a result. Throws RequestError `tool_not_found` for another server's tool. */
  run(id: string, tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpToolResult>;
}
