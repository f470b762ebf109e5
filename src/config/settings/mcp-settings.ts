// The setting of the MCP servers whose tools agents use, in the form that other programs have for it.
import { nonBlank } from "./forms.ts";
import { setting, type Zod } from "./setting.ts";

const namesOfTools = (zod: Zod) => zod.array(nonBlank(zod)).optional();
const texts = (zod: Zod) => zod.record(nonBlank(zod), zod.string()).optional();

const hash = (zod: Zod) => zod.string().regex(/^[0-9a-f]{32}$/u);
const trustedDefinition = (zod: Zod) =>
  zod.union([hash(zod), zod.strictObject({ hash: hash(zod), definition: zod.string() })]);

const server = (zod: Zod) =>
  zod
    .strictObject({
      /** What other programs write beside; `url` decides. */
      type: zod.enum(["stdio", "http", "streamable-http"]).optional(),
      /** A program that is started, or `url`. */
      command: nonBlank(zod).optional(),
      args: zod.array(zod.string()).optional(),
      env: texts(zod),
      cwd: nonBlank(zod).optional(),
      url: zod.url({ protocol: /^https?$/u }).optional(),
      headers: texts(zod),
      /** Names of the server's tools: only these, or all but those. */
      allow: namesOfTools(zod),
      deny: namesOfTools(zod),
      /** Tools that run without approval: the hash of the definition that was read, and its text, by name. */
      trusted: zod.record(nonBlank(zod), trustedDefinition(zod)).optional(),
      timeoutSeconds: zod.number().min(1).max(3600).optional(),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined))
    .refine(({ command, args, env, cwd }) => command !== undefined || (args ?? env ?? cwd) === undefined)
    .refine(({ url, headers }) => url !== undefined || headers === undefined);

export const mcpSettings = {
  /** MCP servers by name, whose tools all agents have. Their calls wait for approval. */
  mcpServers: setting({
    form: (zod) => zod.record(zod.string().regex(/^[a-zA-Z0-9_-]{1,32}$/u), server(zod)),
    expected:
      '{"NAME": {"command", "args", "env", "cwd"} or {"url", "headers"}}, with "allow", "deny", "trusted" and "timeoutSeconds" (docs/mcp.md)',
    default: {},
    isSecret: true,
  }),
};
