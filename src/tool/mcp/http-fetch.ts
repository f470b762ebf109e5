// `fetch` for the MCP servers of users: HTTP requests whose address is checked where the socket is opened.
// Invariant: with `onlyPublic`, no socket is opened to an address that is not public; a redirect is never followed.
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPublicAddress, isPublicHost } from "../../base/public-address.ts";
import { RequestError, ToolError } from "../../base/errors.ts";

/** Answers that have no body. */
const withoutBody: readonly number[] = [204, 205, 304];

type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** `resolve`: how names are resolved; default the system's way. */
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
    return "it redirects to another URL, which is not followed: give that URL instead";
  if (status === 401 || status === 403)
    return `it answers ${status}: it does not accept the token or the headers that it was sent`;
  return null;
}

function send(url: URL, init: RequestInit, lookupUsed: LookupFunction | undefined): Promise<IncomingMessage> {
  const { method = "GET", body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new ToolError("the request has a body that is no text");
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      // A socket of its own: one that is used again was not looked up for this request.
      agent: false,
      ...(lookupUsed === undefined ? {} : { lookup: lookupUsed }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    // Stays, so that an abort after the answer has begun is not an uncaught error; the answer reports it.
    sent.on("error", reject);
    sent.once("response", resolve);
    sent.end(body ?? undefined);
  });
}

/** A name with an address that is not public is refused as a whole. */
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
    `${host} is not at a public address: it is of this machine, of its network, or reserved. The operator can allow it by the setting \`userMcpServers\`: network`,
  );
}

export function refusedPlace(reason: string): RequestError {
  return new RequestError("mcp_server_refused", `The MCP server is not used: ${reason}.`);
}
