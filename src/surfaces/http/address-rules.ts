// Checks the host and the origin that a request names.
// Invariant: a request with a host or an origin that is not allowed is refused before its key is read.
import { Fault } from "./fault.ts";

/** Names of this machine that a browser sends only for pages and addresses of this machine. */
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
