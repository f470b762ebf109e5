// Runs a command in the user's shell for the chat, without a terminal.
// Invariant: output and time are limited; an interrupted command is ended with all processes that it started.
import { type ChildProcess, spawn } from "node:child_process";
import { messageOf } from "../../../base/thrown-values.ts";

/** Maximum bytes kept of the beginning of the output, and of its end. */
const maxBytesEach = 32_000;
const maxMs = 120_000;
/** Milliseconds from SIGTERM to SIGKILL. */
const graceMs = 2_000;
/** Milliseconds for which output is read after the shell has exited: a background process may keep the output open. */
const trailingMs = 500;

export interface ShellLimits {
  readonly signal: AbortSignal;
  /** Maximum duration in milliseconds. Default 120,000. */
  readonly maxMs?: number;
  /** The text of the command's standard input. Default: no input. */
  readonly input?: string;
}

/**
 * Runs `command` in `shell`. Resolves to its standard output and error, in the order of arrival, and the problem, such as
 * `exit code 2`; null on success. Never rejects.
 */
export async function runShell(shell: string, command: string, { signal, maxMs: limit = maxMs, input }: ShellLimits) {
  const kept = createKeptOutput();
  const child = start(shell, command, input === undefined ? "ignore" : "pipe");
  // Ignores the error of writing to a command that has closed its standard input.
  child.stdin?.on("error", () => undefined).end(input);
  child.stdout?.on("data", kept.add);
  child.stderr?.on("data", kept.add);
  const timeout = AbortSignal.timeout(limit);
  const stopped = AbortSignal.any([signal, timeout]);
  const ended = await endOf(child, stopped);
  const isInterrupted = signal.aborted;
  const problem = isInterrupted
    ? "interrupted"
    : timeout.aborted
      ? `stopped after ${Math.round(limit / 1000)} s`
      : ended;
  return { text: kept.text(), problem, isInterrupted };
}

// Starts the command in its own process group, so that all its processes can be killed, and without a terminal.
function start(shell: string, command: string, input: "ignore" | "pipe"): ChildProcess {
  const stdio = [input, "pipe", "pipe"] as const;
  if (process.platform === "win32") return spawn(command, { stdio: [...stdio], shell: true, windowsHide: true });
  return spawn(shell, ["-c", command], { stdio: [...stdio], detached: true });
}

function endOf(child: ChildProcess, stopped: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    let forced: NodeJS.Timeout | undefined;
    const stop = (): void => {
      kill(child, "SIGTERM");
      forced = setTimeout(() => kill(child, "SIGKILL"), graceMs);
    };
    const finish = (problem: string | null): void => {
      stopped.removeEventListener("abort", stop);
      clearTimeout(forced);
      // An interrupted shell may have exited before the processes that it started, so they are killed now.
      if (stopped.aborted) kill(child, "SIGKILL");
      resolve(problem);
    };
    if (stopped.aborted) stop();
    else stopped.addEventListener("abort", stop, { once: true });
    child.on("error", (error) => finish(`not started: ${messageOf(error)}`));
    child.on("close", (code, signal) => finish(problemOf(code, signal)));
    child.on("exit", () => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, trailingMs).unref();
    });
  });
}

function problemOf(code: number | null, signal: NodeJS.Signals | null): string | null {
  if (signal !== null) return `ended by ${signal}`;
  return code === 0 ? null : `exit code ${code ?? "unknown"}`;
}

function kill(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: all processes of the group have ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Creates a buffer that keeps the beginning and the end of an output. */
function createKeptOutput() {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let omitted = 0;
  return {
    add(chunk: Buffer): void {
      const room = maxBytesEach - head.length;
      head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = Buffer.concat([tail, chunk.subarray(room)]);
      const excess = Math.max(0, rest.length - maxBytesEach);
      omitted += excess;
      tail = rest.subarray(excess);
    },
    text(): string {
      if (omitted === 0) return Buffer.concat([head, tail]).toString("utf8");
      const note = `\n… ${omitted.toLocaleString("en")} bytes left out …\n`;
      return `${head.toString("utf8")}${note}${tail.toString("utf8")}`;
    },
  };
}
