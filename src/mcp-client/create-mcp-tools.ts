// The tools of MCP servers, for agents.
// Invariant: a call waits for approval unless the configuration trusts the hash of the definition that the server has now.
import type { Clock } from "../base/clock.ts";
import type { Config } from "../config/settings.ts";
import { ToolError } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { outputOf } from "./call-result.ts";
import { createServerConnection, type ServerConnection } from "./server-connection.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

interface Server {
  readonly name: string;
  readonly options: McpServerOptions;
  readonly connection: ServerConnection;
}

export function createMcpTools(
  configured: Config["mcpServers"],
  deps: { readonly clock: Clock; readonly log: (line: string) => void },
) {
  const servers = Object.entries(configured).map(
    ([name, options]): Server => ({ name, options, connection: createServerConnection(name, options, deps) }),
  );
  let hasWaited = false;
  return {
    /** Waits for the servers once: later, those that failed are tried in the background. */
    async connect(): Promise<void> {
      const attempts = Promise.all(servers.map(({ connection }) => connection.connect()));
      if (!hasWaited) await attempts;
      hasWaited = true;
    },
    /** The first of several tools with one name is used. */
    tools(taken: readonly string[]): readonly Tool[] {
      const names = new Set(taken);
      return servers.flatMap((server) =>
        server.connection.definitions().flatMap((definition) => {
          if (names.has(definition.name)) return [];
          names.add(definition.name);
          return [toolOf(server, definition)];
        }),
      );
    },
    async close(): Promise<void> {
      await Promise.all(servers.map(({ connection }) => connection.close()));
    },
  };
}

function toolOf({ name: server, options, connection }: Server, definition: ToolDefinition): Tool {
  const { name, toolName, description, parameters, hash } = definition;
  const trusted = options.trusted?.[toolName];
  const binding = `${toolName} of the MCP server ${server}, definition ${hash}\n`;
  const changed =
    trusted === undefined || trusted === hash ? "" : `Its definition is not the trusted one, ${trusted}.\n`;
  return {
    name,
    description,
    parameters: { jsonSchema: parameters, parse: (input) => requireObject(name, input) },
    effects: "external",
    wholeResult: false,
    approval: trusted !== hash,
    binding,
    preview: async () => `${binding}${changed}${description}`,
    run: async (args, { signal }) => outputOf(await connection.call(definition, args, signal)),
  };
}

/** The server checks the rest. */
function requireObject(name: string, input: unknown): unknown {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new ToolError(`${name}: expected the arguments to be an object. Nothing was done.`);
}
