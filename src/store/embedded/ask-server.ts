// Asks a socket whether a PostgreSQL server is behind it and answers. The kernel knows that better than any file.
// Invariant: leaves no connection behind and never takes longer than it was given.
import net from "node:net";
import type { ServerEndpoint } from "./server-endpoint.ts";
import { systemCode } from "./system-code.ts";
import { startupMessage } from "./wire-message.ts";

/**
 * `answers`: it serves. `refused`: nobody listens (or the socket is gone). `closed`: somebody was there, and is leaving
 * or not ours. `silent`: somebody accepts and has said nothing so far.
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
    // Authentication, or an error such as "too many connections": both come from a server that is up.
    socket.on("data", (chunk) => settle(chunk[0] === 0x52 || chunk[0] === 0x45 ? "answers" : "closed"));
    socket.on("error", (cause) => settle(isConnected ? "closed" : whenNotConnected(cause)));
    socket.on("close", () => settle("closed"));
  });
}

function whenNotConnected(cause: Error): ServerAnswer {
  const code = systemCode(cause);
  // Anything else, such as a full queue of connections (EAGAIN), is no sign that nobody is there.
  return code === "ECONNREFUSED" || code === "ENOENT" ? "refused" : "silent";
}
