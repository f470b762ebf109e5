// Defines the settings of MCP servers: the servers for all users, in the form that other programs use, and the kinds of
// servers that a user may add.
import { nonBlank, oneOf } from "./forms.ts";
import { setting, type Zod } from "./setting.ts";

const namesOfTools = (zod: Zod) => zod.array(nonBlank(zod)).optional();
const texts = (zod: Zod) => zod.record(nonBlank(zod), zod.string()).optional();

/** The definition of a tool that the user trusts: a hash to compare, and the text, to show the lines that change. */
const trustedDefinition = (zod: Zod) =>
  zod.strictObject({ hash: zod.string().regex(/^[0-9a-f]{32}$/u), definition: zod.string() });

const oauth = (zod: Zod) =>
  zod
    .strictObject({
      clientId: nonBlank(zod).optional(),
      clientSecret: nonBlank(zod).optional(),
      /** The port on this machine to which the browser returns after the sign-in. */
      callbackPort: zod.number().int().min(1).max(65_535).optional(),
      /** The requested scopes, separated by spaces. Default: those that the server names. */
      scopes: nonBlank(zod).optional(),
    })
    .refine(({ clientId, clientSecret }) => clientSecret === undefined || clientId !== undefined);

const server = (zod: Zod) =>
  zod
    .strictObject({
      /** The transport. It is ignored, but accepted, because the files of other programs contain it: `url` decides. */
      type: zod.enum(["stdio", "http", "streamable-http"]).optional(),
      /** The program to start. A server has either `command` or `url`. */
      command: nonBlank(zod).optional(),
      args: zod.array(zod.string()).optional(),
      env: texts(zod),
      cwd: nonBlank(zod).optional(),
      url: zod.url({ protocol: /^https?$/u }).optional(),
      headers: texts(zod),
      /** The OAuth client that the user has registered, for a server that does not register clients itself. */
      oauth: oauth(zod).optional(),
      /** Names of the server's tools: `allow` permits only the named tools, `deny` excludes the named tools. */
      allow: namesOfTools(zod),
      deny: namesOfTools(zod),
      /** The tools that run without approval. For each name, the hash and the text of the definition that the user approved. */
      trusted: zod.record(nonBlank(zod), trustedDefinition(zod)).optional(),
      timeoutSeconds: zod.number().min(1).max(3600).optional(),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined))
    .refine(({ command, args, env, cwd }) => command !== undefined || (args ?? env ?? cwd) === undefined)
    .refine(({ url, headers, oauth: signIn }) => url !== undefined || (headers ?? signIn) === undefined);

export const mcpSettings = {
  /** MCP servers by name. All agents have the tools of these servers, and calls of these tools wait for approval. */
  mcpServers: setting({
    form: (zod) => zod.record(zod.string().regex(/^[a-zA-Z0-9_-]{1,32}$/u), server(zod)),
    expected:
      '{"NAME": {"command", "args", "env", "cwd"} or {"url", "headers", "oauth"}}, with "allow", "deny", "trusted" and "timeoutSeconds" (docs/mcp.md)',
    default: {},
    isSecret: true,
  }),
  /**
   * The MCP servers that users may add: none (`off`), servers over HTTP at public addresses (`public`) or at any address
   * (`network`), or also programs on this machine (`programs`).
   */
  userMcpServers: setting({
    ...oneOf("off", "public", "network", "programs"),
    default: "public",
    environment: ["PALIMPSEST_USER_MCP_SERVERS"],
  }),
};
