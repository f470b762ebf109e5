// The tools of the configured MCP servers, as part of the tools of all agents.
// Invariant: nothing is loaded without a configured server, and no server is started before an agent is opened.
import type { Clock } from "../base/clock.ts";
import type { Config } from "../config/settings.ts";
import type { ToolSelection } from "../tool/select-tools.ts";
import { RequestError } from "../errors.ts";
import type { McpOperations } from "../runtime/mcp.ts";
import type { Tool } from "../tool/tool.ts";

export interface McpTools extends McpOperations {
  /** Starts the servers that are not connected; one that fails is logged and tried again later. Never throws. */
  connect(): Promise<void>;
  /** Returns the tools of the servers that have answered, without those with a name in `taken`. */
  tools(taken: readonly string[]): readonly Tool[];
  close(): Promise<void>;
}

export const noMcpTools: McpTools = {
  connect: async () => undefined,
  tools: () => [],
  servers: async () => [],
  questions: () => [],
  watchQuestions: () => undefined,
  answer: (id) => Promise.reject(new RequestError("input_invalid", `No question ${id} waits for an answer.`)),
  readResource: (server) => Promise.reject(noServer(server)),
  readPrompt: (server) => Promise.reject(noServer(server)),
  trust: (tool) => Promise.reject(noServers(tool)),
  distrust: (tool) => Promise.reject(noServers(tool)),
  close: async () => undefined,
};

function noServer(name: string): RequestError {
  return new RequestError("file_unreadable", `There is no MCP server "${name}": none is configured.`);
}

function noServers(tool: string): RequestError {
  return new RequestError("tool_not_found", `There is no tool "${tool}" of an MCP server: none is configured.`);
}

export async function openMcpTools(
  { mcpServers }: Pick<Config, "mcpServers">,
  deps: { readonly clock: Clock; readonly log: (line: string) => void },
): Promise<McpTools> {
  if (Object.keys(mcpServers).length === 0) return noMcpTools;
  const { createMcpTools } = await import("../mcp-client/create-mcp-tools.ts");
  return createMcpTools(mcpServers, deps);
}

/** Returns a selection whose additions are read anew with each use, because servers come and go. */
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

/** Without the functions that only the host itself calls. */
export function operationsOf(mcp: McpTools): McpOperations {
  const { servers, questions, watchQuestions, answer, readResource, readPrompt, trust, distrust } = mcp;
  return { servers, questions, watchQuestions, answer, readResource, readPrompt, trust, distrust };
}
