// Connects to MCP servers that users have added, each time for one listing or one call.
// Invariant: only servers that the operator allows are used, and a connection ends with the listing or call.
// With `onlyPublic`, no socket is opened to an address that is not public; a redirect is never followed.
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { RequestError, ToolError } from "../../base/errors.ts";
import { isPublicAddress, isPublicHost } from "../../base/public-address.ts";
import type { Config } from "../../config/settings.ts";
import { outputOf } from "./call-result.ts";
import { operatorText, ProgramError } from "./open-client.ts";
import { createQuestions } from "./questions.ts";
import { createServerConnection, type ServerConnection } from "./server-connection.ts";
import type { ToolDefinition } from "./tool-definition.ts";

export interface UserServer {
  readonly name: string;
  readonly place:
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
    | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

interface ServerCall extends Pick<ToolDefinition, "toolName" | "hash"> {
  readonly args: unknown;
  readonly signal: AbortSignal;
}

type Reach = Config["userMcpServers"];

/** Creates functions to list and to call tools. Both throw RequestError `mcp_server_refused`, and ToolError for a failure. */
export function createUserServers(reach: Reach, { clock }: { readonly clock: Clock }) {
  const fetchFrom = createHttpFetch({ onlyPublic: reach === "public" });

  async function connected<Result>(server: UserServer, use: (connection: ServerConnection) => Promise<Result>) {
    requireReach(reach, server);
    const connection = createServerConnection(server.name, optionsOf(server), {
      clock,
      // Nothing is logged: every problem is thrown or returned in `notes`, and concerns the user, not the operator.
      log: () => undefined,
      // No listener is set, so the server's questions are declined.
      questions: createQuestions(),
      fetch: fetchFrom,
    });
    try {
      return await use(connection);
    } catch (error) {
      throw refusalIn(error) ?? error;
    } finally {
      await connection.close();
    }
  }

  return {
    list: (server: UserServer) =>
      connected(server, async (connection) => {
        await connection.use(async () => undefined).catch(withWritten);
        const tools = connection.definitions().map(({ name, toolName, description, parameters, hash, definition }) => {
          return { name, description, parameters, served: { toolName, hash, definition } };
        });
        return { tools, problems: connection.state().notes };
      }),
    call: (server: UserServer, { toolName, hash, args, signal }: ServerCall) =>
      connected(server, async (connection) => {
        // The hash identifies the definition; the other fields are not used.
        const definition = { name: toolName, toolName, hash, description: "", parameters: {}, definition: "" };
        return outputOf(await connection.call(definition, args, signal));
      }),
  };
}

/** Adds a program's standard error to the message of its error, because only the user who added the program reads it. */
function withWritten(error: unknown): never {
  throw error instanceof ProgramError ? new ToolError(operatorText(error), { cause: error }) : error;
}

function optionsOf({ place }: UserServer) {
  return "url" in place ? { url: place.url, headers: { ...place.headers } } : { ...place, args: [...place.args] };
}

function requireReach(reach: Reach, { place }: UserServer): void {
  if (reach === "off") throw refusedPlace("the operator does not allow MCP servers of users (`userMcpServers` is off)");
  if ("url" in place || reach === "programs") return;
  throw refusedPlace(
    'a command would run on the machine of this host. Give the URL of a server over HTTP. The operator can allow commands with userMcpServers = "programs"',
  );
}

/** Returns the error `mcp_server_refused` in the chain of an error's causes; null if there is none. */
function refusalIn(error: unknown): RequestError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof RequestError) return cause;
  return null;
}

/** Status codes of answers without a body. */
const withoutBody: readonly number[] = [204, 205, 304];

type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Returns a `fetch` without redirects. `onlyPublic` allows only public addresses. Default `resolve`: the system's lookup. */
export function createHttpFetch(
  { onlyPublic }: { readonly onlyPublic: boolean },
  resolve: Resolve = lookup,
): typeof fetch {
  const checkedLookup = onlyPublic ? publicLookup(resolve) : undefined;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (onlyPublic && !isPublicHost(url.hostname)) throw notPublic(url.hostname);
    return responseOf(await send(url, init, checkedLookup));
  };
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  const problem = problemOf(answer);
  if (problem !== null) {
    answer.destroy();
    throw new ToolError(problem);
  }
  const body = withoutBody.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  if (body === null) answer.resume();
  return new Response(body, { status, statusText, headers: headersOf(answer) });
}

function problemOf({ statusCode: status = 0, headers }: IncomingMessage): string | null {
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return "it redirects to another URL, which is not followed. Give that URL instead";
  if (status === 401 || status === 403)
    return `it answered ${status}, because it does not accept the token or the headers of the request`;
  return null;
}

function send(url: URL, init: RequestInit, lookupUsed: LookupFunction | undefined): Promise<IncomingMessage> {
  const { method = "GET", body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new ToolError("the body of the request is not text");
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      // Each request uses a new socket, because the address of a reused socket was not checked for this request.
      agent: false,
      ...(lookupUsed === undefined ? {} : { lookup: lookupUsed }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    // The listener for `error` stays after the response: an abort while the body is read emits `error` again. Without a
    // listener, that would end this process. The reader of the body receives the abort, too.
    sent.on("error", reject);
    sent.once("response", resolve);
    sent.end(body ?? undefined);
  });
}

/** Returns a lookup that refuses a name if any of its addresses is not public. */
function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) callback(error, []);
      else if (!addresses.every(({ address }) => isPublicAddress(address))) callback(notPublic(hostname), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  return rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : []));
}

function notPublic(host: string): RequestError {
  return refusedPlace(
    `${host} resolves to a loopback, private or reserved address. The operator can allow such addresses with userMcpServers = "network"`,
  );
}

function refusedPlace(reason: string): RequestError {
  return new RequestError("mcp_server_refused", `The MCP server was refused: ${reason}.`);
}
