// A client that writes an HTTP request byte by byte as a test wants it.
// Invariant: nothing is sent but what the test sends.
import { connect, type Socket } from "node:net";

export interface RawClient {
  readonly socket: Socket;
  send(text: string): void;
  /** What the server has sent so far. */
  received(): string;
  /** Resolves when what was received matches; rejects if the server closes the connection before. */
  until(pattern: RegExp): Promise<string>;
  readonly closed: Promise<void>;
}

export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => (text += chunk));
  // A server that closes a connection on which more was sent resets it.
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return {
    socket,
    closed,
    send: (more) => void socket.write(more),
    received: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(text)) resolve(text);
        };
        socket.on("data", look);
        void closed.then(() => reject(new Error(`The server closed the connection after "${text}".`)));
        look();
      }),
  };
}

/** The beginning of a request whose body is announced and not sent. */
export function headOf(method: string, path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
