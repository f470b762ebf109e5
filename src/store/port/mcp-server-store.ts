// The part of the store's port for the MCP servers that a user has added.
// Invariant: a name is unique per user; the tools of a server are stored tools that are deleted with it.
import type { ServedTool } from "./stored-tool-store.ts";

/** How a server is reached: over HTTP, or as a program that is started on this machine. Contains secrets. */
export type McpServerPlace =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

export interface StoredMcpServer {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly place: McpServerPlace;
  /** A JSON object that only the caller interprets. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type StoredMcpServerChange = Partial<Omit<StoredMcpServer, "id" | "createdAt">>;

/** A tool as its server defines it, with the id under which it is stored if it is new. */
export interface OfferedTool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly served: Omit<ServedTool, "serverId">;
}

/** What an update of a server's stored tools did: lists of tools by their names on the server. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
  /** Tools that were not stored, or that keep their former name, because another tool of the user has the same name. */
  readonly refused: readonly string[];
}

/** Stores MCP servers. An id that is not a UUID matches no server. */
export interface McpServerStore {
  /** Creates a server. Throws RequestError `mcp_server_exists` if the user has a server of this name or id. */
  create(server: StoredMcpServer): Promise<void>;
  find(id: string): Promise<StoredMcpServer | null>;
  /** Lists all servers, oldest first. */
  list(): Promise<readonly StoredMcpServer[]>;
  /** Changes a server, and returns it; null if there is none. Throws RequestError `mcp_server_exists` for a name in use. */
  update(id: string, change: StoredMcpServerChange): Promise<StoredMcpServer | null>;
  /** Deletes a server with its tools. Returns false if there is none. */
  delete(id: string): Promise<boolean>;
  /**
   * Updates the stored tools of a server to match those that it offers at time `at`. Calls of a tool whose definition changed
   * wait for approval again, for every agent. Returns null if there is no such server. Throws RequestError `tool_exists` if a
   * renamed tool's new name is taken during the update.
   */
  putTools(id: string, offered: readonly OfferedTool[], at: Date): Promise<ToolChanges | null>;
}
