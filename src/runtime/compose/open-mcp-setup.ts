// Creates operations on the MCP servers in the configuration file, for commands that change the file and open no store.
// Invariant: an entry is written only if it is valid, and listing starts only the listed servers.
import { systemClock } from "../../base/clock.ts";
import { configOf } from "../../config/config.ts";
import { ConfigError } from "../../base/errors.ts";
import type { McpSetup } from "../mcp.ts";
import { type McpConfig, type McpTools, openMcpTools } from "./open-mcp-tools.ts";

export interface McpSetupDeps {
  readonly config: McpConfig;
  readonly log: (line: string) => void;
  /** Changes an entry of the configuration file, or removes it if `value` returns undefined. Throws ConfigError. */
  readonly save: (change: {
    readonly path: readonly [string, ...string[]];
    readonly value: (before: unknown) => unknown;
  }) => Promise<{ readonly file: string; readonly before: unknown }>;
}

export function openMcpSetup({ config, log, save }: McpSetupDeps): McpSetup {
  const { mcpServers } = config;
  const known = Object.keys(mcpServers);
  /** Opens the named servers, and closes them when `use` has ended. */
  async function using<Result>(names: readonly string[], use: (mcp: McpTools) => Promise<Result>): Promise<Result> {
    const wanted = names.map((name) => [name, mcpServers[requireKnown(name, known)]!] as const);
    const mcp = await openMcpTools({ ...config, mcpServers: Object.fromEntries(wanted) }, { clock: systemClock, log });
    try {
      return await use(mcp);
    } finally {
      await mcp.close();
    }
  }
  return {
    list: (names = known) => using(names, (mcp) => mcp.servers()),
    signIn: (name, accompany) =>
      using([name], async (mcp) => {
        const signIn = await mcp.signIn(name);
        try {
          await Promise.race([signIn.ended, accompany(signIn)]);
          await signIn.ended;
        } finally {
          signIn.cancel();
        }
      }),
    signOut: (name) => using([name], (mcp) => mcp.signOut(name)),
    async add(name, entry) {
      if (!/^[a-zA-Z0-9_-]{1,32}$/u.test(name)) {
        throw new ConfigError(
          `Expected a server name of 1 to 32 letters, digits, - and _, got ${JSON.stringify(name.slice(0, 60))}.`,
        );
      }
      configOf({ mcpServers: { [name]: entry } });
      const { file, before } = await save({ path: ["mcpServers", name], value: () => entry });
      return { file, isNew: before === undefined };
    },
    async remove(name) {
      const { file } = await save({
        path: ["mcpServers", name],
        value: (before) => (before === undefined ? requireKnown(name, known) && undefined : undefined),
      });
      await using([name], (mcp) => mcp.signOut(name));
      return { file };
    },
    async keepTrust(server, toolName, trusted) {
      requireKnown(server, known);
      // The server wrote the definition, so "${" is escaped: the configuration file would read it as a reference.
      const definition = trusted?.definition.replaceAll("${", () => "$${");
      const { file } = await save({
        path: ["mcpServers", server, "trusted", toolName],
        value: () => (trusted === null ? undefined : { ...trusted, definition }),
      });
      return { file };
    },
  };
}

function requireKnown(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  throw new ConfigError(
    `No MCP server ${JSON.stringify(name.slice(0, 60))} is configured. Servers: ${known.join(", ") || "none"}.`,
  );
}
