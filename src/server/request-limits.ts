// Limits of requests: who may address the server, how large a body is, and how many requests a user may make.
// Invariant: a request beyond a limit is refused before its handler runs.
import type { Clock } from "../base/clock.ts";
import { Fault } from "./fault.ts";

export interface RequestLimits {
  /** Maximum bytes of a body. */
  readonly bodyBytes: number;
  /** Maximum requests of a user per minute. */
  readonly requestsPerMinute: number;
}

/** Names of this machine that a browser sends only for pages and addresses of this machine. */
const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/iu;

export interface AddressRules {
  /** The server listens on this machine only: a page of another site could reach it through a name that it controls. */
  readonly isLoopback: boolean;
  /** Origins of browsers that may use the server, besides its own. */
  readonly origins: readonly string[];
}

/** Throws Fault `host_refused` for a host name or an origin that is not allowed. */
export function checkAddress(headers: Headers, { isLoopback, origins }: AddressRules): void {
  const host = headers.get("host") ?? "";
  if (isLoopback && !loopbackName.test(host)) {
    throw new Fault(
      403,
      "host_refused",
      "The server listens on this machine only. Use http://127.0.0.1 or http://localhost with its port.",
    );
  }
  const origin = headers.get("origin");
  if (origin === null || origins.includes(origin) || isOwn(origin, host)) return;
  throw new Fault(
    403,
    "host_refused",
    "Pages of that origin may not use this server. `palimpsest serve --cors ORIGIN` allows it.",
  );
}

function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Reads a body. Throws Fault `body_too_large`, without reading on. */
export async function readBody(request: Request, { bodyBytes }: RequestLimits): Promise<Uint8Array> {
  const tooLarge = (): Fault => {
    return new Fault(413, "body_too_large", `The body is longer than ${bodyBytes} bytes. Send less at once.`);
  };
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > bodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export interface RateLimiter {
  /** Counts a request. Throws Fault `rate_limited`. */
  admit(userId: string): void;
}

/** Counts requests in windows of one minute, so that a user costs two numbers. */
export function createRateLimiter({ requestsPerMinute }: RequestLimits, clock: Clock): RateLimiter {
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    admit(userId) {
      const now = clock.now().getTime();
      const current = Math.floor(now / 60_000);
      if (current !== minute) {
        minute = current;
        counts = new Map();
      }
      const count = (counts.get(userId) ?? 0) + 1;
      counts.set(userId, count);
      if (count <= requestsPerMinute) return;
      const retryAfterMs = (current + 1) * 60_000 - now;
      const message = `More than ${requestsPerMinute} requests in a minute. Wait ${Math.ceil(retryAfterMs / 1000)} s.`;
      throw new Fault(429, "rate_limited", message, { retryAfterMs });
    },
  };
}
