// Routes of `/v1` about the MCP servers of the key's user, and their tools.
// Invariant: the servers of the configuration, which all users share, are not among them.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { idOf } from "../ids.ts";
import { shownStoredTool, toolShape } from "../tools/shown-tool.ts";
import { WireFault } from "../wire-fault.ts";
import { newServerOf, newServerRequest, serverChangeOf, serverChangeRequest } from "./mcp-server-request.ts";
import { mcpServerShape, shownMcpServer } from "./shown-mcp-server.ts";

const serverPath = z.object({ mcp_server: idOf("mcp_server") });
const toolPath = serverPath.extend({ tool: idOf("tool") });
const names = z.array(z.string());

const servers: readonly Route[] = [
  route({
    method: "get",
    path: "/mcp-servers",
    summary: "List the MCP servers of the user",
    scope: "read",
    output: z.array(mcpServerShape),
    run: async ({ runtime }) => (await runtime.mcpServers.list()).map(shownMcpServer),
  }),
  route({
    method: "post",
    path: "/mcp-servers",
    summary: "Add an MCP server, with the tools that it has now",
    scope: "admin",
    body: newServerRequest,
    output: mcpServerShape,
    run: async ({ runtime, body }) => shownMcpServer((await runtime.mcpServers.create(newServerOf(body))).server),
  }),
  route({
    method: "get",
    path: "/mcp-servers/:mcp_server",
    summary: "Get an MCP server",
    scope: "read",
    params: serverPath,
    output: mcpServerShape,
    run: async ({ runtime, params }) => shownMcpServer(await runtime.mcpServers.find(params.mcp_server)),
  }),
  route({
    method: "patch",
    path: "/mcp-servers/:mcp_server",
    summary: "Change an MCP server, and refresh its tools",
    scope: "admin",
    params: serverPath,
    body: serverChangeRequest,
    output: mcpServerShape,
    run: async ({ runtime, params, body }) => {
      const server = await runtime.mcpServers.find(params.mcp_server);
      return shownMcpServer((await runtime.mcpServers.update(server.id, serverChangeOf(body, server))).server);
    },
  }),
  route({
    method: "delete",
    path: "/mcp-servers/:mcp_server",
    summary: "Delete an MCP server with its tools, also from the agents that have them",
    scope: "admin",
    params: serverPath,
    output: null,
    run: ({ runtime, params }) => runtime.mcpServers.delete(params.mcp_server),
  }),
  route({
    method: "patch",
    path: "/mcp-servers/:mcp_server/refresh",
    summary: "Make the stored tools those that the MCP server has now",
    scope: "admin",
    params: serverPath,
    query: z.object({ agent_id: idOf("agent").optional() }),
    output: z.looseObject({ deleted: names, updated: names, added: names }),
    run: ({ runtime, params }) => runtime.mcpServers.refresh(params.mcp_server).catch(unavailable),
  }),
];

const tools: readonly Route[] = [
  route({
    method: "get",
    path: "/mcp-servers/:mcp_server/tools",
    summary: "List the tools of an MCP server",
    scope: "read",
    params: serverPath,
    output: z.array(toolShape),
    run: async ({ runtime, params }) => (await runtime.mcpServers.tools(params.mcp_server)).map(shownStoredTool),
  }),
  route({
    method: "get",
    path: "/mcp-servers/:mcp_server/tools/:tool",
    summary: "Get a tool of an MCP server",
    scope: "read",
    params: toolPath,
    output: toolShape,
    run: async ({ runtime, params }) => shownStoredTool(await toolOf(runtime, params)),
  }),
  route({
    method: "post",
    path: "/mcp-servers/:mcp_server/tools/:tool/run",
    summary: "Run a tool of an MCP server without an agent",
    scope: "admin",
    params: toolPath,
    body: z.object({ args: z.record(z.string(), z.unknown()).nullish() }),
    output: z.looseObject({ status: z.enum(["success", "error"]), func_return: z.string() }),
    run: async ({ runtime, params: { mcp_server, tool }, body, signal }) => {
      const { status, text } = await runtime.mcpServers.run(mcp_server, tool, body.args ?? {}, signal);
      return {
        status: status === "ok" ? "success" : "error",
        func_return: text,
        agent_state: null,
        stdout: null,
        stderr: null,
        sandbox_config_fingerprint: null,
      };
    },
  }),
];

export const mcpServerRoutes: readonly Route[] = [...servers, ...tools];

async function toolOf({ mcpServers }: Pick<UserRuntime, "mcpServers">, ids: z.output<typeof toolPath>) {
  const found = (await mcpServers.tools(ids.mcp_server)).find(({ id }) => id === ids.tool);
  if (found !== undefined) return found;
  throw new RequestError("tool_not_found", "The MCP server has no such tool.");
}

/** Letta's answer for a server that does not. */
function unavailable(error: unknown): never {
  if (!(error instanceof RequestError) || error.code !== "mcp_server_unreachable") throw error;
  const detail = { code: "MCPServerUnavailable", message: error.message, error: error.message };
  throw new WireFault(404, error.code, { detail }, { message: error.message, cause: error });
}
