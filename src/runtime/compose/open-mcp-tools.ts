// Opens access to two kinds of MCP servers: configured ones, whose tools all agents have, and those that users have added.
// Invariant: no code for MCP is loaded without a configured server, or before the first server of a user is used; no
// configured server is started before an agent is opened.
import path from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/settings.ts";
import type { Tool, ToolSelection } from "../../tool/tool.ts";
import { RequestError } from "../../base/errors.ts";
import type { McpOperations } from "../mcp.ts";
import type { ToolServers } from "../mcp-servers/tool-servers.ts";

export interface McpTools extends McpOperations {
  /** Starts the servers that are not connected. A failed start is logged and retried by the next call. Never throws. */
  connect(): Promise<void>;
  /** Returns the tools of the connected servers, without tools with a name in `taken`. */
  tools(taken: readonly string[]): readonly Tool[];
  close(): Promise<void>;
}

export const noMcpTools: McpTools = {
  connect: async () => undefined,
  tools: () => [],
  servers: async () => [],
  questions: () => [],
  watchQuestions: () => undefined,
  answer: (id) => Promise.reject(new RequestError("input_invalid", `There is no open question with the id ${id}.`)),
  readResource: (server) => Promise.reject(noServer(server)),
  readPrompt: (server) => Promise.reject(noServer(server)),
  signIn: (server) => Promise.reject(noServer(server, "mcp_sign_in_failed")),
  signOut: (server) => Promise.reject(noServer(server, "mcp_sign_in_failed")),
  trust: (tool) => Promise.reject(noServers(tool)),
  distrust: (tool) => Promise.reject(noServers(tool)),
  close: async () => undefined,
};

function noServer(name: string, code: "file_unreadable" | "mcp_sign_in_failed" = "file_unreadable"): RequestError {
  return new RequestError(code, `There is no MCP server "${name}": none is configured. Add it to \`mcpServers\`.`);
}

function noServers(tool: string): RequestError {
  return new RequestError(
    "tool_not_found",
    `There is no tool "${tool}" of an MCP server: no server is configured. Add one to \`mcpServers\`.`,
  );
}

/** `dataDir` is the folder in which sign-ins to servers are stored, readable only by the owner of the process. */
export type McpConfig = Pick<Config, "mcpServers"> & Partial<Pick<Config, "dataDir">>;

export async function openMcpTools(
  { mcpServers, dataDir }: McpConfig,
  deps: { readonly clock: Clock; readonly log: (line: string) => void },
): Promise<McpTools> {
  if (Object.keys(mcpServers).length === 0) return noMcpTools;
  const { createMcpTools } = await import("../../tool/mcp/create-mcp-tools.ts");
  const folder = dataDir === undefined ? null : path.join(dataDir, "mcp-sign-ins");
  return createMcpTools(mcpServers, { ...deps, folder });
}

/** Returns a selection that reads the tools of the servers at each use, because servers connect and disconnect. */
export function withMcpTools(selection: ToolSelection, mcp: McpTools): ToolSelection {
  const own = selection.add ?? [];
  const taken = [...own, ...Object.values(selection.replace ?? {})].map(({ name }) => name);
  return {
    ...selection,
    get add() {
      return [...own, ...mcp.tools(taken)];
    },
  };
}

/** Returns the operations for front ends, without the functions that only the host itself calls. */
export function operationsOf(mcp: McpTools): McpOperations {
  const { connect: _, tools: __, close: ___, ...operations } = mcp;
  return operations;
}

/** Opens access to the servers that users have added, as far as the setting `userMcpServers` allows. */
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
