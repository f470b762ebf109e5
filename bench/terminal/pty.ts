// Runs a program in a terminal of a given size, by script(1) of util-linux, and records its output with times.
// Invariant: the program's queries about its terminal get no answer, as on a terminal that does not support them.
import { spawn } from "node:child_process";

export interface Pty {
  /** Number of bytes written so far. */
  length(): number;
  /** Returns the output from an offset on, as UTF-8. */
  textFrom(offset: number): string;
  /** Waits until the output from `offset` on contains a text; returns the time of its arrival, by `performance.now()`. */
  until(text: string, offset: number): Promise<number>;
  type(keys: string): void;
  close(): Promise<void>;
}

const longestMs = 60_000;

/** Runs Node with these arguments in a terminal of 80 columns and 24 rows. */
export function openPty(args: readonly string[]): Pty {
  const quoted = [process.execPath, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn("script", ["-qfec", `stty rows 24 cols 80; exec ${quoted}`, "/dev/null"], {
    // With CI set, the chat would run line by line.
    env: { PATH, HOME, TERM: "xterm-256color", LC_ALL: "C.UTF-8" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  const watchers = new Set<(chunk: string) => void>();
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("error", (error) => {
    throw new Error("script(1) of util-linux runs the program in a terminal, and could not be started", {
      cause: error,
    });
  });
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    for (const watcher of watchers) watcher(chunk.toString("latin1"));
  });
  const textFrom = (offset: number): string => Buffer.concat(chunks).subarray(offset).toString("utf8");
  return {
    length: () => bytes,
    textFrom,
    until: (text, offset) =>
      new Promise((resolve, reject) => {
        // Decoded as Latin-1, so that a text that spans two chunks is found.
        const wanted = Buffer.from(text).toString("latin1");
        let seen = Buffer.concat(chunks).subarray(offset).toString("latin1");
        const look = (chunk: string): void => {
          seen += chunk;
          if (seen.includes(wanted)) {
            watchers.delete(look);
            clearTimeout(timer);
            resolve(performance.now());
          }
          seen = seen.slice(-wanted.length);
        };
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`never shown: ${text}. Instead: ${JSON.stringify(textFrom(offset).slice(-500))}`));
        }, longestMs);
        watchers.add(look);
        look("");
      }),
    type: (keys) => void child.stdin.write(keys),
    async close() {
      // Closing the terminal ends the program; on SIGTERM, script(1) would wait for two seconds.
      child.kill("SIGKILL");
      await ended;
    },
  };
}
