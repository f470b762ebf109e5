// Starts or connects to an MCP server, and reads its lists, page by page.
// Invariant: a server that cannot be used is stopped, and every wait has a time-out; an invalid entry of a list is left out,
// and an endless list is cut.
import { setTimeout } from "node:timers/promises";
import {
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  specTypeSchemas,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { SignInError, ToolError } from "../../base/errors.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { boundedFetch, bounds } from "./bounds.ts";
import { createChildTransport } from "./child-transport.ts";
import { type McpServerOptions, type ReadDefinitions, readDefinitions } from "./tool-definition.ts";

/** `fetch` sends the HTTP requests; default: Node's own. */
export interface ClientDeps {
  readonly fetch?: typeof fetch;
}

export interface ClientEvents extends ClientDeps {
  /** Called when the server reports changed tools. */
  readonly onChange: () => void;
  readonly onClose: () => void;
  /** Called when the server asks the user a question. The signal is aborted if the server cancels the question, or ends. */
  readonly onQuestion: (asked: ElicitRequestFormParams, cancelled: AbortSignal) => Promise<ElicitResult>;
}

/** Validates nothing: regular expressions in a server's schemas could block this process forever. */
const noValidation: NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>["jsonSchemaValidator"]> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The name and version that Palimpsest reports to servers. */
export const thisClient = { name: "palimpsest", version: "1" } as const;

/** The error of a failed server program. Its message is for the model: the program's output may be secret and is omitted. */
export class ProgramError extends ToolError {
  /** The end of the program's standard error, for the operator only. */
  readonly written: string;

  constructor(message: string, { written, ...facts }: { readonly cause?: unknown; readonly written: string }) {
    super(message, facts);
    this.written = written;
  }
}

/** Returns the message of an error for the operator: with the end of a program's standard error. */
export function operatorText(error: unknown): string {
  const message = messageOf(error);
  return error instanceof ProgramError ? `${message} (its standard error is "${error.written}")` : message;
}

/** Returns a connected client and its tools. Throws ToolError; ProgramError if a program has written to standard error. */
export async function openClient(
  name: string,
  options: McpServerOptions,
  { onChange, onClose, onQuestion, ...deps }: ClientEvents,
): Promise<ReadDefinitions & { readonly client: Client }> {
  const { transport, said } = transportOf(options, deps);
  const client = new Client(thisClient, {
    jsonSchemaValidator: noValidation,
    capabilities: { elicitation: { form: {} } },
  });
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
    "requestedSchema" in params ? onQuestion(params, mcpReq.signal) : { action: "decline" },
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
    if (written === "") throw new ToolError(messageOf(error), { cause: error });
    throw new ProgramError(messageOf(error), { cause: error, written });
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

/** Closes the connection, and the session of a server over HTTP if the server answers in time. */
export async function closeClient(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const ended = transport.terminateSession().catch(() => undefined);
    await Promise.race([ended, setTimeout(bounds.sessionEndMs, undefined, { ref: false })]);
  }
  await client.close();
}

/** The lists of the protocol: for each method the field, the type of an entry, and the server's capability. */
const lists = {
  "tools/list": { field: "tools", type: "Tool", capability: "tools" },
  "resources/list": { field: "resources", type: "Resource", capability: "resources" },
  "prompts/list": { field: "prompts", type: "Prompt", capability: "prompts" },
} as const;

type Method = keyof typeof lists;
type EntryOf<M extends Method> = NonNullable<
  (typeof specTypeSchemas)[(typeof lists)[M]["type"]]["~standard"]["types"]
>["output"];

interface Listed<Entry> {
  readonly entries: readonly Entry[];
  /** The reasons for which entries were left out. */
  readonly problems: readonly string[];
}

interface Page {
  readonly [field: string]: unknown;
}

/** Returns the entries of a list; none if the server does not offer the list. Throws if the server does not answer in time. */
export async function listPages<M extends Method>(client: Client, method: M): Promise<Listed<EntryOf<M>>> {
  const { field, type, capability } = lists[method];
  if (client.getServerCapabilities()?.[capability] === undefined) return { entries: [], problems: [] };
  const wait = { timeout: bounds.connectMs, signal: AbortSignal.timeout(bounds.connectMs) };
  const entries: EntryOf<M>[] = [];
  const problems: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < bounds.pages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result: Page = await client.request({ method, params }, pageSchema(field), wait);
    for (const entry of result[field] as readonly unknown[]) {
      const problem = problemOf(entry, type);
      if (problem === null) entries.push(entry as EntryOf<M>);
      else problems.push(`${nameOf(entry)} is left out, because ${problem}`);
    }
    const next = result["nextCursor"];
    if (typeof next !== "string" || next === cursor) return { entries, problems };
    cursor = next;
  }
  return { entries, problems: [...problems, `its list has more than ${bounds.pages} pages, the rest is left out`] };
}

/** Returns a schema that checks that the list is an array, and does not check its entries. */
function pageSchema(field: string): StandardSchemaV1<unknown, Page> {
  const validate = (value: unknown) => {
    const isPage = typeof value === "object" && value !== null && Array.isArray((value as Page)[field]);
    return isPage ? { value: value as Page } : { issues: [{ message: `${field} is not a list` }] };
  };
  return { "~standard": { version: 1, vendor: "palimpsest", validate } };
}

function problemOf(entry: unknown, type: (typeof lists)[Method]["type"]): string | null {
  const result = specTypeSchemas[type]["~standard"].validate(entry);
  if (result instanceof Promise)
    throw new ToolError("the MCP SDK checks entries asynchronously, which is not supported");
  const issue = result.issues?.[0];
  if (issue === undefined) return null;
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? "it is not valid" : `its ${path} is not valid`;
}

/** Returns an entry's name, for error messages, if it has one. */
function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null ? (entry as Page)["name"] : undefined;
  return typeof name === "string" ? JSON.stringify(name.slice(0, 64)) : "an entry without a name";
}
