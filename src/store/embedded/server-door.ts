// Opens the listening socket of the embedded server. It exists from before the lock is taken until after it is released.
// Invariant: while a process holds the lock, its socket accepts connections, so a refused connection proves that the
// process is dead. Connections that arrive before the database is ready wait.
import net from "node:net";
import { identityOf, type ServerEndpoint, newSocketPath } from "./server-endpoint.ts";
import { folderError, type StoreFolder } from "./store-folder.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";
import { fatalMessage } from "./wire-message.ts";

export interface ServerDoor {
  readonly endpoint: ServerEndpoint;
  /** Accepts waiting and new connections. */
  open(welcome: (socket: net.Socket) => void): void;
  /** Closes all connections. The socket still accepts later ones, and closes them at once. */
  clear(): void;
  /** Stops listening and removes the socket. */
  remove(): Promise<void>;
}

export interface DoorOptions {
  readonly transport: "unix" | "tcp";
  /** Milliseconds without a connection since `open` after which `onIdle` is called; undefined: never. */
  readonly idleMs: number | undefined;
  readonly onIdle: () => void;
}

const MAX_CONNECTIONS = 200;

export async function createServerDoor(folder: StoreFolder, options: DoorOptions): Promise<ServerDoor> {
  const sockets = new Set<net.Socket>();
  const inside: net.Socket[] = [];
  let welcome: ((socket: net.Socket) => void) | undefined;
  let isCleared = false;
  const idle = createIdleTimer(options);

  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    if (isCleared) {
      socket.destroy();
      return;
    }
    if (sockets.size >= MAX_CONNECTIONS) {
      socket.end(fatalMessage("53300", "too many connections to the embedded database"));
      return;
    }
    sockets.add(socket);
    idle.stop();
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0 && welcome !== undefined && !isCleared) idle.start();
    });
    if (welcome === undefined) inside.push(socket);
    else welcome(socket);
  });
  const endpoint = await listen(server, folder, options.transport);

  return {
    endpoint,
    open(letIn) {
      welcome = letIn;
      for (const socket of inside.splice(0)) letIn(socket);
      if (sockets.size === 0) idle.start();
    },
    clear() {
      isCleared = true;
      idle.stop();
      for (const socket of sockets) socket.destroy();
    },
    remove: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function listen(server: net.Server, folder: StoreFolder, transport: "unix" | "tcp"): Promise<ServerEndpoint> {
  for (let attempt = 0; ; attempt += 1) {
    const path = transport === "unix" ? newSocketPath(folder) : undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(path === undefined ? { host: "127.0.0.1", port: 0 } : { path }, () => {
          server.off("error", reject);
          resolve();
        });
      });
      if (path !== undefined) return { path };
      return { port: (server.address() as net.AddressInfo).port, folder: identityOf(folder) };
    } catch (cause) {
      if (systemErrorCode(cause) !== "EADDRINUSE" || attempt === 20) throw folderError(folder.root, cause);
    }
  }
}

function createIdleTimer({ idleMs, onIdle }: DoorOptions): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      clearTimeout(timer);
      if (idleMs !== undefined) timer = setTimeout(onIdle, idleMs);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
