// The requests that add and change MCP servers.
// Invariant: a field that is null or absent in a change stays as it is, because values of headers and variables cannot be read.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { invalidArgument } from "../wire-fault.ts";
import { given } from "../wire-values.ts";
import { type ServerNotes, serverNotesOf, type UserMcpServer } from "./shown-mcp-server.ts";

type McpServers = UserRuntime["mcpServers"];
type Change = Parameters<McpServers["update"]>[1];
type Headers = Record<string, string | null>;

const texts = z.record(z.string(), z.string()).nullish();
const config = z.looseObject({
  mcp_server_type: z.enum(["stdio", "sse", "streamable_http"]).nullish(),
  server_url: z.string().nullish(),
  auth_header: z.string().nullish(),
  auth_token: z.string().nullish(),
  custom_headers: texts,
  command: z.string().nullish(),
  args: z.array(z.string()).nullish(),
  env: texts,
});

type Config = z.output<typeof config>;

export const newServerRequest = z.object({
  server_name: z.string(),
  config: config.refine(({ server_url: url, command }) => (url ?? command ?? null) !== null, {
    message: "Expected server_url, or command with args.",
  }),
});
export const serverChangeRequest = z.object({ server_name: z.string().nullish(), config });

export function newServerOf({ server_name: name, config: wanted }: z.output<typeof newServerRequest>) {
  return { ...changeOf(wanted, null), name };
}

export function serverChangeOf(
  { server_name: name, config: wanted }: z.output<typeof serverChangeRequest>,
  server: UserMcpServer,
): Change {
  return { ...changeOf(wanted, server), ...given({ name }) };
}

/** `server`: null for a new one. Throws Fault for a server with events, and for another name of a header without its value. */
function changeOf(wanted: Config, server: UserMcpServer | null): Change {
  const { mcp_server_type: type, server_url: url } = wanted;
  if (type === "sse")
    throw invalidArgument(
      "config.mcp_server_type",
      "Servers with the older transport sse are not reached: give the URL of streamable_http, which replaces it.",
    );
  return type === "stdio" || (type ?? url ?? null) === null ? programOf(wanted, server) : httpServerOf(wanted, server);
}

function programOf({ command, args, env }: Config, server: UserMcpServer | null): Change {
  const variables = env ? { env: { ...withoutNames(server?.envNames ?? []), ...env } } : {};
  return { ...given({ command, args }), ...variables };
}

function httpServerOf(wanted: Config, server: UserMcpServer | null): Change {
  const before = server === null ? {} : serverNotesOf(server);
  const header = wanted.auth_header ?? before.auth_header ?? "Authorization";
  const headers = { ...customHeaders(wanted, server, before.auth_header), ...authHeader(wanted, header, before) };
  return {
    ...given({ url: wanted.server_url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    metadata: { ...server?.metadata, letta: notesAfter(wanted, header, before) },
  };
}

function notesAfter({ auth_token: token }: Config, header: string, before: ServerNotes): ServerNotes {
  if (token === null || token === undefined) return before;
  return token === "" ? {} : { auth_header: header };
}

/** The given headers replace all former ones but that of the token. */
function customHeaders({ custom_headers: custom }: Config, server: UserMcpServer | null, auth?: string): Headers {
  if (custom === null || custom === undefined) return {};
  const others = (server?.headerNames ?? []).filter((name) => name !== auth);
  return { ...withoutNames(others), ...custom };
}

function authHeader(
  { auth_header: renamed, auth_token: token }: Config,
  header: string,
  { auth_header: former }: ServerNotes,
): Headers {
  if (token === null || token === undefined) {
    if (!renamed || renamed === former) return {};
    throw invalidArgument("config.auth_token", "Expected auth_token with auth_header: its value is not kept readably.");
  }
  const unset: Headers = former === undefined ? {} : { [former]: null };
  if (token === "") return unset;
  const isBearer = header.toLowerCase() === "authorization" && !/\s/u.test(token);
  return { ...unset, [header]: isBearer ? `Bearer ${token}` : token };
}

/** Null for each name, which removes it. */
function withoutNames(names: readonly string[]): Headers {
  return Object.fromEntries(names.map((name) => [name, null]));
}
