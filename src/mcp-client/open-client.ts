// Starts or reaches an MCP server, and lists its tools.
// Invariant: a server that cannot be used is ended, and every wait has an end.
import {
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../base/error-message.ts";
import { ToolError } from "../errors.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { bounds } from "./bounds.ts";
import { createChildTransport } from "./child-transport.ts";
import { listPages } from "./list-pages.ts";
import { type McpServerOptions, type ReadDefinitions, readDefinitions } from "./tool-definition.ts";

export interface OpenClient extends ReadDefinitions {
  readonly client: Client;
}

export interface ClientEvents {
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

/** Throws ToolError with the reason, and what a program wrote about it. */
export async function openClient(
  name: string,
  options: McpServerOptions,
  { onChange, onClose, onQuestion }: ClientEvents,
): Promise<OpenClient> {
  const { transport, said } = transportOf(options);
  const client = new Client(
    { name: "palimpsest", version: "1" },
    {
      jsonSchemaValidator: noValidation,
      capabilities: { elicitation: { form: {} } },
    },
  );
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

function transportOf({ command, args, env, cwd, url, headers = {} }: McpServerOptions): UsedTransport {
  if (command !== undefined) {
    const transport = createChildTransport({ command, args, env, cwd });
    return { transport, said: transport.lastErrors };
  }
  const transport = new StreamableHTTPClientTransport(new URL(url!), {
    requestInit: { headers },
    fetch: boundedFetch(bounds.messageBytes),
  });
  return { transport: transport as UsedTransport["transport"], said: () => "" };
}
