// CORS (the Fetch standard): which requests pages of other origins may send to this server, and which headers of a
// response they may read.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

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
