// Creates the tools of MCP servers, for agents.
// Invariant: a call waits for approval unless the hash of the tool's current definition is trusted; an approval applies only
// to the definition that the preview of the call names.
import type { Clock } from "../../base/clock.ts";
import { RequestError } from "../../base/errors.ts";
import { changedLines } from "../../base/line-diff.ts";
import type { Config } from "../../config/settings.ts";
import { objectParameters } from "../parameters.ts";
import type { Tool } from "../tool.ts";
import { outputOf } from "./call-result.ts";
import type { McpAnswer } from "../mcp-dialogue.ts";
import { createQuestions, type Questions } from "./questions.ts";
import { createServerConnection, type ServerConnection } from "./server-connection.ts";
import { listOffers, readPrompt, readResource } from "./server-offers.ts";
import { createServerSignIn, type ServerSignIn } from "./sign-in/server-sign-in.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

interface McpDeps {
  /** The folder in which sign-ins to servers are stored; null: sign-ins cannot be stored. */
  readonly folder: string | null;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export function createMcpTools(configured: Config["mcpServers"], deps: McpDeps) {
  const questions = createQuestions();
  const servers = Object.entries(configured).map(([name, options]) =>
    openServer(name, options, { ...deps, questions }),
  );
  let hasWaited = false;
  return {
    /** Connects to the servers. Only the first call waits for them; later calls retry failed servers in the background. */
    async connect(): Promise<void> {
      const attempts = Promise.all(servers.map(({ connection }) => connection.connect()));
      if (!hasWaited) await attempts;
      hasWaited = true;
    },
    /** Returns the tools of all servers, without those named in `taken`. Of several tools with one name, returns the first. */
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
    async servers() {
      await Promise.all(servers.map(({ connection }) => connection.connect()));
      return Promise.all(servers.map(serverRecord));
    },
    readResource: async (server: string, resource: string) => readResource(named(servers, server), resource),
    readPrompt: async (server: string, prompt: string, args: Readonly<Record<string, string>> = {}) =>
      readPrompt(named(servers, server), prompt, args),
    questions: questions.waiting,
    watchQuestions: questions.watch,
    answer: async (id: string, answer: McpAnswer) => questions.answer(id, answer),
    async trust(tool: string) {
      const { server, definition: read } = found(servers, tool);
      const { toolName, hash, definition } = read;
      server.trust.set(toolName, { hash, definition });
      return { server: server.name, toolName, hash, definition };
    },
    async distrust(tool: string) {
      const { server, definition } = found(servers, tool);
      server.trust.set(definition.toolName, null);
      return { server: server.name, toolName: definition.toolName };
    },
    async signIn(server: string) {
      const { signIn, connection } = named(servers, server, "mcp_sign_in_failed");
      return signIn.begin(connection.connect);
    },
    signOut: async (server: string) => named(servers, server, "mcp_sign_in_failed").signIn.forget(),
    async close(): Promise<void> {
      for (const { signIn } of servers) signIn.cancel();
      await Promise.all(servers.map(({ connection }) => connection.close()));
    },
  };
}

function openServer(
  name: string,
  options: McpServer["options"],
  deps: McpDeps & { readonly questions: Questions },
): McpServer {
  const signIn = createServerSignIn(name, options, deps);
  const connection = createServerConnection(name, options, {
    ...deps,
    fetch: signIn.fetch,
    isRefused: signIn.isRefused,
  });
  return { name, options, signIn, connection, trust: createServerTrust(options) };
}

function named(
  servers: readonly McpServer[],
  name: string,
  code: "file_unreadable" | "mcp_sign_in_failed" = "file_unreadable",
): McpServer {
  const server = servers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (server !== undefined) return server;
  const names = servers.map((one) => one.name).join(", ");
  throw new RequestError(code, `There is no MCP server "${name}". Servers: ${names || "none"}.`);
}

async function serverRecord({ name, options, connection, trust }: McpServer) {
  const { command, args = [], url } = options;
  const { needsSignIn, problem, notes } = connection.state();
  const none = { problems: [], resources: [], prompts: [] };
  const { problems, resources, prompts } = problem === null ? await listOffers({ connection }) : none;
  return {
    name,
    location: command === undefined ? url! : [command, ...args].join(" "),
    state: needsSignIn ? ("needs-sign-in" as const) : problem === null ? ("connected" as const) : ("failed" as const),
    problem,
    notes: [...notes, ...problems],
    resources,
    prompts,
    tools: connection.definitions().map((one) => {
      const { name: offered, toolName, description, hash, definition } = one;
      const approval = trust.stateOf(one);
      return { name: offered, toolName, description, approval, hash, definition, change: trust.changeOf(one) };
    }),
  };
}

interface FoundTool {
  readonly server: McpServer;
  readonly definition: ToolDefinition;
}

function found(servers: readonly McpServer[], tool: string): FoundTool {
  for (const server of servers) {
    const definition = server.connection.definitions().find(({ name }) => name === tool);
    if (definition !== undefined) return { server, definition };
  }
  const names = servers.flatMap(({ connection }) => connection.definitions().map(({ name }) => name));
  throw new RequestError(
    "tool_not_found",
    `No MCP server has a tool named "${tool}". The tools of the MCP servers: ${names.join(", ") || "none"}.`,
  );
}

interface McpServer {
  readonly name: string;
  readonly options: McpServerOptions;
  readonly connection: ServerConnection;
  readonly trust: ServerTrust;
  readonly signIn: ServerSignIn;
}

function toolOf({ name: server, connection, trust }: McpServer, definition: ToolDefinition): Tool {
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
  const lead = `Its definition differs from the trusted one, ${trust.hashOf(definition.toolName)}`;
  return change === null ? `${lead}.\n` : `${lead}:\n${change}\n`;
}

interface Trusted {
  readonly hash: string;
  readonly definition: string;
}

interface ServerTrust {
  stateOf(definition: ToolDefinition): "asks" | "trusted" | "changed";
  /** Returns the lines that differ from the trusted definition; null if nothing differs. */
  changeOf(definition: ToolDefinition): string | null;
  /** Returns the trusted hash of a tool; null if the tool is not trusted. */
  hashOf(toolName: string): string | null;
  set(toolName: string, trusted: Trusted | null): void;
}

function createServerTrust({ trusted = {} }: Pick<McpServerOptions, "trusted">): ServerTrust {
  const known = new Map<string, Trusted>(Object.entries(trusted));
  const stateOf: ServerTrust["stateOf"] = ({ toolName, hash }) => {
    const one = known.get(toolName);
    if (one === undefined) return "asks";
    return one.hash === hash ? "trusted" : "changed";
  };
  return {
    stateOf,
    changeOf(definition) {
      const before = known.get(definition.toolName);
      return before === undefined || before.hash === definition.hash
        ? null
        : changedLines(before.definition, definition.definition);
    },
    hashOf: (toolName) => known.get(toolName)?.hash ?? null,
    set(toolName, one) {
      if (one === null) known.delete(toolName);
      else known.set(toolName, one);
    },
  };
}
