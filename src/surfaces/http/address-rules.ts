// Checks the host and the origin that a request names, and lets pages of allowed origins send requests and read
// responses (CORS, the Fetch standard).
// Invariant: a request with a host or an origin that is not allowed is refused before its key is read.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { Fault } from "./fault.ts";

/** Names that always mean this machine. A browser sends them as the host only to servers on this machine. */
const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/iu;

export interface AddressRules {
  /** Whether the server listens on this machine only. Then only loopback names are accepted, against DNS rebinding. */
  readonly isLoopback: boolean;
  /** Origins of pages that may use the server, besides the server's own origin. */
  readonly origins: readonly string[];
}

/** Checks the host name and the origin of a request. Throws Fault `host_refused` if one of them is not allowed. */
export function checkAddress(headers: Headers, { isLoopback, origins }: AddressRules): void {
  const host = headers.get("host") ?? "";
  if (isLoopback && !loopbackName.test(host)) {
    throw new Fault(
      403,
      "host_refused",
      "The server listens on this machine only. Use http://127.0.0.1 or http://localhost with the server's port.",
    );
  }
  const origin = headers.get("origin");
  const forwarded = headers.get("x-forwarded-host")?.split(",")[0]?.trim() ?? "";
  if (origin === null || origins.includes(origin) || isOwn(origin, host) || isOwn(origin, forwarded)) return;
  throw new Fault(
    403,
    "host_refused",
    "Pages of the request's origin may not use this server. To allow an origin, run `palimpsest serve --cors ORIGIN`.",
  );
}

/**
 * Returns whether the origin is the server's own. `host`: the value of `Host`, or behind a proxy of `X-Forwarded-Host`.
 * A page of another origin cannot fake `X-Forwarded-Host`: the browser sends this header for it only if CORS allows it.
 */
function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Response headers that clients read; without this list, a page of another origin cannot read them. */
const readHeaders = ["x-request-id", "retry-after", "www-authenticate", "content-disposition", "mcp-session-id"];

/** Seconds for which a browser caches a preflight. Two hours is the maximum that Chromium accepts. */
const maxAge = 7200;

export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    exposeHeaders: [...readHeaders],
    maxAge,
  });
}
