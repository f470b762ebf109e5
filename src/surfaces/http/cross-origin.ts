// CORS (the Fetch standard): what a browser lets pages of other origins send to this server and read of its answers.
// Invariant: only the named origins are answered, and a preflight needs no key, because a browser sends none with it.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** Headers of responses that clients read; without this list, a page of another origin sees none of them. */
const readHeaders = ["x-request-id", "retry-after", "www-authenticate", "content-disposition", "mcp-session-id"];

/** Seconds for which a browser remembers a preflight. Two hours is the most that Chromium accepts. */
const maxAge = 7200;

export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    exposeHeaders: [...readHeaders],
    maxAge,
  });
}
