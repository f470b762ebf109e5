// Starts or reaches an MCP server, and lists its tools.
// Invariant: a server that cannot be used is ended, and every wait has an end.
import { setTimeout } from "node:timers/promises";
import {
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../base/thrown-values.ts";
import { SignInError, ToolError } from "../../base/errors.ts";
import { boundedFetch, bounds } from "./bounds.ts";
import { createChildTransport } from "./child-transport.ts";
import { listPages } from "./list-pages.ts";
import { type McpServerOptions, type ReadDefinitions, readDefinitions } from "./tool-definition.ts";

export interface OpenClient extends ReadDefinitions {
  readonly client: Client;
}

/** Sends the HTTP requests; default Node's own. */
export interface ClientDeps {
  readonly fetch?: typeof fetch;
}

export interface ClientEvents extends ClientDeps {
  /** The tools have changed. */
  readonly onChange: () => void;
  readonly onClose: () => void;
  /** The server asks the user something during a call. */
  readonly onQuestion: (asked: ElicitRequestFormParams) => Promise<ElicitResult>;
}

/** Accepts everything: the schemas are the server's, and its patterns could keep this process busy for years. */
const noValidation: NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>["jsonSchemaValidator"]> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** How this program introduces itself to servers. */
export const thisClient = { name: "palimpsest", version: "1" } as const;

/** Throws ToolError with the reason, and what a program wrote about it. */
export async function openClient(
  name: string,
  options: McpServerOptions,
  { onChange, onClose, onQuestion, ...deps }: ClientEvents,
): Promise<OpenClient> {
  const { transport, said } = transportOf(options, deps);
  const client = new Client(thisClient, {
    jsonSchemaValidator: noValidation,
    capabilities: { elicitation: { form: {} } },
  });
  client.setRequestHandler("elicitation/create", async ({ params }) =>
    "requestedSchema" in params ? onQuestion(params) : { action: "decline" },
  );
  client.setNotificationHandler("notifications/tools/list_changed", onChange);
  client.onclose = onClose;
  try {
    await client.connect(transport, { timeout: bounds.connectMs });
    return { client, ...(await listTools(client, name, options)) };
  } catch (error) {
    await client.close();
    if (error instanceof SignInError) throw error;
    const written = said();
    throw new ToolError(`${messageOf(error)}${written === "" ? "" : ` (it wrote: ${written})`}`, { cause: error });
  }
}

export async function listTools(client: Client, name: string, options: McpServerOptions): Promise<ReadDefinitions> {
  const { entries, problems } = await listPages(client, "tools/list");
  const read = readDefinitions(name, options, entries);
  return { ...read, problems: [...problems, ...read.problems] };
}

interface UsedTransport {
  readonly transport: Parameters<Client["connect"]>[0];
  readonly said: () => string;
}

function transportOf(
  { command, args, env, cwd, url, headers = {} }: McpServerOptions,
  { fetch: send = fetch }: ClientDeps,
): UsedTransport {
  if (command !== undefined) {
    const transport = createChildTransport({ command, args, env, cwd });
    return { transport, said: transport.lastErrors };
  }
  const transport = new StreamableHTTPClientTransport(new URL(url!), {
    requestInit: { headers },
    fetch: boundedFetch(bounds.messageBytes, send),
  });
  return { transport: transport as UsedTransport["transport"], said: () => "" };
}

/** Closes the connection, and the session that a server over HTTP keeps: one that does not answer keeps it for as long as it likes. */
export async function closeClient(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const ended = transport.terminateSession().catch(() => undefined);
    await Promise.race([ended, setTimeout(bounds.sessionEndMs, undefined, { ref: false })]);
  }
  await client.close();
}
