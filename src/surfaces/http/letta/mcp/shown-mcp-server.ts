// The MCP servers of a user in the shape of Letta's API.
// Invariant: tokens, and values of headers and variables, are null: they are written and never read.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";

export type UserMcpServer = Awaited<ReturnType<UserRuntime["mcpServers"]["find"]>>;

const named = { id: z.string(), server_name: z.string() };

export const mcpServerShape = z.union([
  z.strictObject({
    ...named,
    mcp_server_type: z.literal("streamable_http"),
    server_url: z.string(),
    auth_header: z.string().nullable(),
    auth_token: z.null(),
    custom_headers: z.null(),
  }),
  z.strictObject({
    ...named,
    mcp_server_type: z.literal("stdio"),
    command: z.string(),
    args: z.array(z.string()),
    env: z.null(),
  }),
]);

/** What Letta's clients set on a server and the runtime has no place for, in its metadata under `letta`. */
const serverNotes = z.object({ auth_header: z.string().optional() });

/** Without `auth_header`: the server has no token. */
export interface ServerNotes {
  readonly auth_header?: string;
}

export function serverNotesOf({ metadata }: Pick<UserMcpServer, "metadata">): ServerNotes {
  const { data } = serverNotes.safeParse(metadata["letta"] ?? {});
  return data?.auth_header === undefined ? {} : { auth_header: data.auth_header };
}

export function shownMcpServer(server: UserMcpServer): z.output<typeof mcpServerShape> {
  const { id, name, url, command, args } = server;
  const shown = { id: `mcp_server-${id}`, server_name: name };
  if (url === null) return { ...shown, mcp_server_type: "stdio", command: command ?? "", args: [...args], env: null };
  const { auth_header = null } = serverNotesOf(server);
  return {
    ...shown,
    mcp_server_type: "streamable_http",
    server_url: url,
    auth_header,
    auth_token: null,
    custom_headers: null,
  };
}
