// A terminal at the far end of a slow connection: everything that the program writes is accepted at once, as by ssh and its
// buffers, and reaches the terminal at a fixed rate. The program runs in a pseudo-terminal of script(1) from util-linux.
// Invariant: the terminal answers a question when the question has reached it.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as pause } from "node:timers/promises";
import { createTerminalModel } from "./terminal-model.ts";

const deliveryMs = 20;
const longestMs = 120_000;

export interface SlowTerminal {
  type(keys: string): void;
  /** The lines of the screen. */
  screen(): string;
  /** Bytes that have reached the terminal. */
  delivered(): number;
  /** Bytes that the program has written. */
  written(): number;
  /** The most bytes that were on their way at once, since the last call. */
  longestQueue(): number;
  /** Waits until a text has reached the screen. */
  until(text: string): Promise<void>;
  /** Waits until a text has left the screen. */
  untilGone(text: string): Promise<void>;
  /** Waits until nothing is on its way. */
  untilIdle(): Promise<void>;
  close(): Promise<void>;
}

export interface SlowTerminalOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Default: no limit. */
  readonly bytesPerSecond?: number;
}

/** Starts Node with these arguments in a terminal of 80 columns and 24 rows. */
export function openSlowTerminal({ args, env, folder, bytesPerSecond = 1e9 }: SlowTerminalOptions): SlowTerminal {
  const quoted = [process.execPath, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty rows 24 cols 80; exec ${quoted}`, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], TERM: "xterm-256color", LC_ALL: "C.UTF-8", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const type = (keys: string): void => void child.stdin.write(keys);
  const model = createTerminalModel({ columns: 80, rows: 24, answer: type });
  const decoder = new StringDecoder("utf8");
  let waiting = Buffer.alloc(0);
  let delivered = 0;
  let longestQueue = 0;
  let failure: unknown;
  child.stdout.on("data", (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    longestQueue = Math.max(longestQueue, waiting.length);
  });
  // By the clock, so that a late timer does not make the connection slower.
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const count = Math.min(waiting.length, Math.floor(((now - last) * bytesPerSecond) / 1000));
    if (count > 0 || waiting.length === 0) last = now;
    delivered += count;
    try {
      model.write(decoder.write(waiting.subarray(0, count)));
    } catch (error) {
      failure ??= error;
    }
    waiting = waiting.subarray(count);
  }, deliveryMs);
  const screen = (): string => model.screen().join("\n");
  const untilTrue = async (what: string, holds: () => boolean): Promise<void> => {
    const began = performance.now();
    while (!holds()) {
      if (failure !== undefined) throw new Error("The program wrote something unexpected", { cause: failure });
      if (performance.now() - began > longestMs) throw new Error(`${what}. The screen:\n${screen()}`);
      await pause(5);
    }
  };
  return {
    type,
    screen,
    delivered: () => delivered,
    written: () => delivered + waiting.length,
    longestQueue() {
      const queue = longestQueue;
      longestQueue = waiting.length;
      return queue;
    },
    until: (text) => untilTrue(`Never shown: ${text}`, () => screen().includes(text)),
    untilGone: (text) => untilTrue(`Never left: ${text}`, () => !screen().includes(text)),
    async untilIdle() {
      let bytes = -1;
      while (bytes !== delivered + waiting.length) {
        bytes = delivered + waiting.length;
        await pause(300);
        await untilTrue("Never idle", () => waiting.length === 0);
      }
    },
    async close() {
      clearInterval(timer);
      child.kill("SIGKILL");
      await ended;
    },
  };
}
