// Defines the operations on the MCP servers that a user has added. All users share the servers of the setting `mcpServers`,
// which mcp.ts describes.
// Invariant: each operation acts for the runtime's user only, and no value of a header or a variable is returned. This
// file checks types only; names, URLs and headers are checked where a server is stored.
import { optional, signal } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { type StoredTool, storedToolFields } from "../../store/port/stored-tool-store.ts";
import { admin, type Contract, optionsNamed, read, value } from "../contract.ts";

const serverFields = {
  id: form.id,
  name: form.text,
  /** The URL of a server over HTTP; null for a program. */
  url: form.nullable(form.text),
  /** The command of a program; null for a server over HTTP. */
  command: form.nullable(form.text),
  args: form.texts,
  /** Names of the headers. Their values are secrets and are never returned. */
  headerNames: form.texts,
  envNames: form.texts,
  /** A JSON object for the caller's own use. */
  metadata: form.object(),
  createdAt: form.moment,
  updatedAt: form.moment,
};

/** An MCP server of a user. Its tools are stored tools of the kind `mcp`, and can be attached to agents. */
export interface UserMcpServer extends RecordOf<typeof serverFields> {}

type Secrets = Readonly<Record<string, string | null>>;

const serverOptions = {
  /** The name of the server: 1 to 64 letters, digits, spaces, `_` and `-`. */
  name: form.text,
  /** The URL of a server over streamable HTTP. */
  url: form.text,
  /**
   * Headers that are sent with each request. A change sets those that are given, removes those that are null, and keeps others.
   */
  headers: form.object<Secrets>(),
  /** The command of a program on this machine, if the host allows programs. */
  command: form.text,
  args: form.texts,
  /** Environment variables of the program. A change treats them like `headers`. */
  env: form.object<Secrets>(),
  /** A JSON object for the caller's own use. */
  metadata: form.object(),
};

/** The options of a server: a URL with headers, or a command with its environment variables. */
export interface McpServerOptions extends OptionsOf<typeof serverOptions> {}

const newServerOptions = {
  ...serverOptions,
  /** A UUID; default a new one. */
  id: form.id,
};

export interface NewMcpServer extends OptionsOf<typeof newServerOptions, "name"> {}

const refreshFields = {
  added: form.texts,
  updated: form.texts,
  deleted: form.texts,
  /** Why tools of the server were left out, or why the server was not reached, one sentence each. */
  problems: form.texts,
};

/** The tools that a refresh changed, by their names on the server. */
export interface McpServerRefresh extends RecordOf<typeof refreshFields> {}

const changeFields = { server: form.record(serverFields), refresh: form.record(refreshFields) };

export interface McpServerChange {
  readonly server: UserMcpServer;
  readonly refresh: McpServerRefresh;
}

const resultFields = { status: form.choice("ok", "failed"), text: form.text };

export interface McpToolResult extends RecordOf<typeof resultFields> {}

/**
 * The operations on a user's MCP servers. Each throws RequestError `mcp_server_not_found` for an unknown id, and
 * `input_invalid` for an invalid option, with nothing written.
 */
export interface McpServerOperations {
  /**
   * Adds a server with its current tools, or without tools if it cannot be reached. If it throws, nothing is written:
   * RequestError `mcp_server_refused` for a server that the host does not allow, and `mcp_server_exists` for a name in use.
   */
  create(server: NewMcpServer): Promise<McpServerChange>;
  find(id: string): Promise<UserMcpServer>;
  /** Returns all servers of the user, oldest first. */
  list(): Promise<readonly UserMcpServer[]>;
  /** Changes the given fields and refreshes the tools. Throws the same errors as `create`. */
  update(id: string, change: McpServerOptions): Promise<McpServerChange>;
  /** Deletes a server with its tools, even tools that are attached to agents. */
  delete(id: string): Promise<void>;
  /**
   * Updates the stored tools to match those of the server. A tool with a changed definition needs approval again.
   * Throws RequestError `mcp_server_unreachable`, with nothing changed.
   */
  refresh(id: string): Promise<McpServerRefresh>;
  tools(id: string): Promise<readonly StoredTool[]>;
  /**
   * Runs a tool without an agent. A failure of the tool is returned as a result. Throws RequestError `tool_not_found` for a
   * tool that the server does not have.
   */
  run(id: string, tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpToolResult>;
}

const id = value("id", form.id);
const otherNames = { token: "Use `headers`.", type: "Omit `type`: it follows from `url` or `command`." };

export const mcpServerContract = {
  create: {
    args: [optionsNamed("server", newServerOptions, { required: ["name"], otherNames })],
    http: admin("POST /mcp-servers", "Add an MCP server, with its tools", changeFields, { status: 201 }),
  },
  find: { args: [id], http: read("GET /mcp-servers/:server", "Get an MCP server", serverFields) },
  list: {
    args: [],
    http: read("GET /mcp-servers", "List the MCP servers that the user has added, oldest first", [serverFields]),
  },
  update: {
    args: [id, optionsNamed("change", serverOptions, { otherNames })],
    http: admin("PATCH /mcp-servers/:server", "Change an MCP server, and refresh its tools", changeFields),
  },
  delete: { args: [id], http: admin("DELETE /mcp-servers/:server", "Delete an MCP server with its tools", null) },
  refresh: {
    args: [id],
    http: admin(
      "POST /mcp-servers/:server/refresh",
      "Update the stored tools to match those of the server",
      refreshFields,
    ),
  },
  tools: {
    args: [id],
    http: read("GET /mcp-servers/:server/tools", "List the tools of an MCP server", [storedToolFields]),
  },
  run: {
    args: [id, value("tool", form.text), value("args", form.object()), { name: "signal", check: optional(signal) }],
    http: admin("POST /mcp-servers/:server/tools/:tool/run", "Run a tool without an agent", resultFields),
  },
} as const satisfies Contract<McpServerOperations>;
