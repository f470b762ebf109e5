// Checks whether a PostgreSQL server listens and answers on a socket. The answer is more reliable than a lock file.
// Invariant: leaves no connection open and never exceeds its time limit.
import net from "node:net";
import type { ServerEndpoint } from "./server-endpoint.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";
import { startupMessage } from "./wire-message.ts";

/**
 * `answers`: a server is up. `refused`: nothing listens, or the socket is missing. `closed`: the peer closed the connection,
 * because it is shutting down or is not a PostgreSQL server. `silent`: the server accepted the connection but has not answered
 * yet.
 */
export type ServerAnswer = "answers" | "refused" | "closed" | "silent";

export function askServer(endpoint: ServerEndpoint, patienceMs: number): Promise<ServerAnswer> {
  return new Promise((resolve) => {
    const socket = net.connect(
      "path" in endpoint ? { path: endpoint.path } : { host: "127.0.0.1", port: endpoint.port },
    );
    let isConnected = false;
    const settle = (answer: ServerAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle("silent"), patienceMs);
    socket.on("connect", () => {
      isConnected = true;
      socket.write(startupMessage("postgres", "postgres"));
    });
    // An authentication request, or an error such as "too many connections": both come from a running server.
    socket.on("data", (chunk) => settle(chunk[0] === 0x52 || chunk[0] === 0x45 ? "answers" : "closed"));
    socket.on("error", (cause) => settle(isConnected ? "closed" : whenNotConnected(cause)));
    socket.on("close", () => settle("closed"));
  });
}

function whenNotConnected(cause: Error): ServerAnswer {
  const code = systemErrorCode(cause);
  // Any other error may come from a running server, such as EAGAIN from one whose connection queue is full.
  return code === "ECONNREFUSED" || code === "ENOENT" ? "refused" : "silent";
}
