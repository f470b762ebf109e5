// Listens on this machine for the browser's redirect after a sign-in.
// Invariant: it listens on 127.0.0.1 only, and its page shows nothing that the request contains.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import { RequestError } from "../../../base/errors.ts";

export interface RedirectListener {
  /** The address to which the authorization server redirects the browser. */
  readonly address: string;
  close(): void;
}

const path = "/callback";

/**
 * Starts the listener. It passes the parameters of the redirect to `take`, and shows in the browser whether `take` has signed
 * the user in. Throws RequestError `mcp_sign_in_failed` if the port is in use. A `port` of 0 means any.
 */
export async function listenForRedirect(
  port: number,
  take: (answer: URLSearchParams) => Promise<boolean>,
): Promise<RedirectListener> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== path) return show(response, 404, "There is nothing here.");
    void take(url.searchParams).then((isSignedIn) =>
      isSignedIn
        ? show(response, 200, "You are signed in. You can close this page.")
        : show(
            response,
            400,
            "You are not signed in. The command or chat in which you began the sign-in shows the reason.",
          ),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", (cause) => reject(portError(port, cause)));
    server.listen(port, "127.0.0.1");
  });
  const { port: used } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${used}${path}`,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function portError(port: number, cause: Error): RequestError {
  const reason = systemErrorCode(cause) === "EADDRINUSE" ? "another program uses the port" : cause.message;
  const message = `The sign-in cannot listen on port ${port} of this machine (\`callbackPort\`): ${reason}. End that program, or choose another port.`;
  return new RequestError("mcp_sign_in_failed", message, { cause });
}

function show(response: ServerResponse, status: number, text: string): void {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  };
  response
    .writeHead(status, headers)
    .end(`<!doctype html><meta charset="utf-8"><title>Palimpsest</title><p>${text}</p>`);
}
