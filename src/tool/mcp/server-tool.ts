// A tool of an MCP server as a tool of agents.
// Invariant: the binding and the preview of a call name the definition that the call is approved for.
import { objectParameters } from "../object-parameters.ts";
import type { Tool } from "../tool.ts";
import { outputOf } from "./call-result.ts";
import type { ServerConnection } from "./server-connection.ts";
import type { ServerSignIn } from "./sign-in/server-sign-in.ts";
import type { ServerTrust } from "./server-trust.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

export interface McpServer {
  readonly name: string;
  readonly options: McpServerOptions;
  readonly connection: ServerConnection;
  readonly trust: ServerTrust;
  readonly signIn: ServerSignIn;
}

export function toolOf({ name: server, connection, trust }: McpServer, definition: ToolDefinition): Tool {
  const { name, toolName, description, parameters, hash } = definition;
  const binding = `${toolName} of the MCP server ${server}, definition ${hash}\n`;
  return {
    name,
    description,
    parameters: objectParameters(name, parameters),
    effects: "external",
    wholeResult: false,
    get approval() {
      return trust.stateOf(definition) !== "trusted";
    },
    binding,
    definition: definition.definition,
    preview: async () => `${binding}${changed(trust, definition)}${description}`,
    run: async (args, { signal }) => outputOf(await connection.call(definition, args, signal)),
  };
}

function changed(trust: ServerTrust, definition: ToolDefinition): string {
  if (trust.stateOf(definition) !== "changed") return "";
  const change = trust.changeOf(definition);
  const lead = `Its definition is not the trusted one, ${trust.hashOf(definition.toolName)}`;
  return change === null ? `${lead}.\n` : `${lead}:\n${change}\n`;
}
