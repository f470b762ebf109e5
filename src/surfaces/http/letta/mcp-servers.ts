// Defines the routes of `/v1` for the MCP servers of the key's user, and their tools.
// Invariant: servers of the configuration, which all users share, are not listed. Tokens, and values of headers and variables,
// can be written but not read: they are shown as null, and a field that is null or absent in a change keeps its value.
import * as z from "zod";
import { RequestError } from "../../../base/errors.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Route } from "../route.ts";
import { idOf } from "./ids.ts";
import { on, type RecordKind, recordRoutes } from "./letta-routes.ts";
import type { UserMcpServer } from "./runtime-records.ts";
import { shownStoredTool, toolRecord } from "./tools/tool-record.ts";
import { invalidArgument, WireFault } from "./wire-fault.ts";
import { each, fixed, given, json, nullableText, nulls, recordOf, text, texts } from "./wire-record.ts";

const named = { id: [text, ({ id }: UserMcpServer) => `mcp_server-${id}`], server_name: [text, "name"] } as const;

const httpServer = recordOf<UserMcpServer>()({
  ...named,
  mcp_server_type: fixed("streamable_http"),
  server_url: [text, "url"],
  auth_header: [nullableText, (server) => serverExtensionOf(server).auth_header ?? null],
  ...nulls("auth_token", "custom_headers"),
});

const program = recordOf<UserMcpServer>()({
  ...named,
  mcp_server_type: fixed("stdio"),
  command: [text, ({ command }) => command ?? ""],
  args: [texts, "args"],
  env: fixed(null),
});

type Change = Parameters<UserRuntime["mcpServers"]["update"]>[1];
type Headers = Record<string, string | null>;

const config = z.looseObject({
  mcp_server_type: z.enum(["stdio", "sse", "streamable_http"]).nullish(),
  ...each(text.nullish(), "server_url", "auth_header", "auth_token", "command"),
  ...each(z.record(text, text).nullish(), "custom_headers", "env"),
  args: z.array(text).nullish(),
});

type Config = z.output<typeof config>;

const newServerRequest = z.object({
  server_name: z.string(),
  config: config.refine(({ server_url: url, command }) => (url ?? command ?? null) !== null, {
    message: "Expected server_url, or command with args.",
  }),
});
const serverChangeRequest = z.object({ server_name: z.string().nullish(), config });

/** The extension of a server: fields that only Letta's API has. Stored in the server's metadata, under `letta`. */
const serverExtension = z.object({ auth_header: z.string().optional() });

/** If `auth_header` is absent, no token is stored for the server. */
type ServerExtension = z.output<typeof serverExtension>;

function serverExtensionOf({ metadata }: Pick<UserMcpServer, "metadata">): ServerExtension {
  return serverExtension.safeParse(metadata["letta"] ?? {}).data ?? {};
}

const serverKind: RecordKind<UserMcpServer> = {
  param: "mcp_server",
  one: "an MCP server",
  many: "the MCP servers of the user",
  shape: z.union([httpServer.shape, program.shape]),
  show: (servers) => servers.map((server) => (server.url === null ? program : httpServer).show(server)),
};

const server = recordRoutes("/mcp-servers", serverKind);
const at = "/mcp-servers/:mcp_server";
const changedTools = z.looseObject({ deleted: texts, updated: texts, added: texts });

export const mcpServerRoutes: readonly Route[] = [
  server.list({ run: ({ runtime }) => runtime.mcpServers.list() }),
  server.create({
    summary: "Add an MCP server, with the tools that it has now",
    body: newServerRequest,
    run: async ({ runtime, body: { server_name: name, config: wanted } }) =>
      (await runtime.mcpServers.create({ ...changeOf(wanted, null), name })).server,
  }),
  server.get({ run: ({ runtime }, id) => runtime.mcpServers.find(id) }),
  server.change({
    summary: "Change an MCP server, and refresh its tools",
    body: serverChangeRequest,
    run: async ({ runtime: { mcpServers }, body: { server_name: name, config: wanted } }, id) => {
      const found = await mcpServers.find(id);
      return (await mcpServers.update(found.id, { ...changeOf(wanted, found), ...given({ name }) })).server;
    },
  }),
  server.remove({
    summary: "Delete an MCP server with its tools, also from the agents that have them",
    isSilent: true,
    run: ({ runtime }, id) => runtime.mcpServers.delete(id),
  }),
  on(`patch ${at}/refresh`, "admin", "Update the stored tools to those that the MCP server has now", {
    query: z.object({ agent_id: idOf("agent").optional() }),
    output: changedTools,
    run: ({ runtime, params }) => runtime.mcpServers.refresh(params.mcp_server).catch(unavailable),
  }),
  on(`get ${at}/tools`, "read", "List the tools of an MCP server", {
    output: z.array(toolRecord.shape),
    run: async ({ runtime, params }) => (await runtime.mcpServers.tools(params.mcp_server)).map(shownStoredTool),
  }),
  on(`get ${at}/tools/:tool`, "read", "Get a tool of an MCP server", {
    output: toolRecord.shape,
    run: async ({ runtime, params }) => {
      const found = (await runtime.mcpServers.tools(params.mcp_server)).find(({ id }) => id === params.tool);
      if (found !== undefined) return shownStoredTool(found);
      throw new RequestError("tool_not_found", "The MCP server has no such tool.");
    },
  }),
  on(`post ${at}/tools/:tool/run`, "admin", "Run a tool of an MCP server without an agent", {
    body: z.object({ args: json.nullish() }),
    output: z.looseObject({ status: z.enum(["success", "error"]), func_return: text }),
    run: async ({ runtime, params: { mcp_server, tool }, body, signal }) => {
      const { status, text: result } = await runtime.mcpServers.run(mcp_server, tool, body.args ?? {}, signal);
      return {
        status: status === "ok" ? "success" : "error",
        func_return: result,
        agent_state: null,
        stdout: null,
        stderr: null,
        sandbox_config_fingerprint: null,
      };
    },
  }),
];

/** Throws Letta's error for a server that could not be reached; rethrows any other error. */
function unavailable(error: unknown): never {
  if (!(error instanceof RequestError) || error.code !== "mcp_server_unreachable") throw error;
  const detail = { code: "MCPServerUnavailable", message: error.message, error: error.message };
  throw new WireFault(404, error.code, { detail }, { message: error.message, cause: error });
}

/**
 * Returns the change to store. `server` is null for a new server. Throws Fault for the transport `sse`, and if
 * `auth_header` changes without `auth_token`.
 */
function changeOf(wanted: Config, server: UserMcpServer | null): Change {
  const { mcp_server_type: type, server_url: url } = wanted;
  if (type === "sse")
    throw invalidArgument(
      "config.mcp_server_type",
      "Servers with the older transport sse are not supported. Give the URL of streamable_http, which replaces sse.",
    );
  return type === "stdio" || (type ?? url ?? null) === null ? programOf(wanted, server) : httpServerOf(wanted, server);
}

function programOf({ command, args, env }: Config, server: UserMcpServer | null): Change {
  const variables = env ? { env: { ...withoutNames(server?.envNames ?? []), ...env } } : {};
  return { ...given({ command, args }), ...variables };
}

function httpServerOf(wanted: Config, server: UserMcpServer | null): Change {
  const before = server === null ? {} : serverExtensionOf(server);
  const header = wanted.auth_header ?? before.auth_header ?? "Authorization";
  const headers = { ...customHeaders(wanted, server, before.auth_header), ...authHeader(wanted, header, before) };
  return {
    ...given({ url: wanted.server_url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    metadata: { ...server?.metadata, letta: extensionAfter(wanted, header, before) },
  };
}

function extensionAfter({ auth_token: token }: Config, header: string, before: ServerExtension): ServerExtension {
  if (token === null || token === undefined) return before;
  return token === "" ? {} : { auth_header: header };
}

/** Returns the change of custom headers: the given headers replace all stored ones except the token's header. */
function customHeaders(
  { custom_headers: custom }: Config,
  server: UserMcpServer | null,
  auth: string | undefined,
): Headers {
  if (custom === null || custom === undefined) return {};
  const others = (server?.headerNames ?? []).filter((name) => name !== auth);
  return { ...withoutNames(others), ...custom };
}

function authHeader(
  { auth_header: renamed, auth_token: token }: Config,
  header: string,
  { auth_header: former }: ServerExtension,
): Headers {
  if (token === null || token === undefined) {
    if (!renamed || renamed === former) return {};
    throw invalidArgument(
      "config.auth_token",
      "Expected auth_token with auth_header: the stored token cannot be read back.",
    );
  }
  const unset: Headers = former === undefined ? {} : { [former]: null };
  if (token === "") return unset;
  const isBearer = header.toLowerCase() === "authorization" && !/\s/u.test(token);
  return { ...unset, [header]: isBearer ? `Bearer ${token}` : token };
}

/** Returns a change that removes the value of each of these names. */
function withoutNames(names: readonly string[]): Headers {
  return Object.fromEntries(names.map((name) => [name, null]));
}
