// Runs one process with an input, bounded outputs and bounded memory, and ends it with everything that it started: the filter of
// system calls (runner.py) keeps its processes in one group.
// Invariant: when the promise settles, the process is gone and its timers are cleared.
import { type ChildProcess, spawn } from "node:child_process";
import type { IsolatedCommand } from "./isolated-command.ts";
import { type SandboxLimits, systemPath } from "./sandbox-limits.ts";
import { residentBytesOf } from "./resident-memory.ts";

export interface BoundedProcess {
  readonly isolated: IsolatedCommand;
  readonly input: string;
  readonly limits: SandboxLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** What the process wrote to file descriptor 3. */
  readonly answer: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  /** Why it was ended; null if it ended itself. */
  readonly ended: "time" | "output" | "memory" | null;
}

/** All that the process finds in its environment. */
const environment = { PATH: systemPath, HOME: "/tmp", LC_ALL: "C.UTF-8" };

/** Milliseconds between two looks at the memory. */
const lookMs = 50;

/** Throws the signal's reason, or the error of a command that cannot be started. */
export async function runBounded({ isolated, input, limits, signal }: BoundedProcess): Promise<ProcessEnd> {
  signal?.throwIfAborted();
  // A group of its own, which is ended as a whole, and which a terminal does not interrupt.
  const child = spawn(isolated.command, isolated.args, {
    env: environment,
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  let ended: ProcessEnd["ended"] = null;
  const end = (reason: ProcessEnd["ended"]): void => {
    ended ??= reason;
    killGroup(child);
  };
  const onAbort = (): void => end(null);
  const timer = setTimeout(() => end("time"), limits.seconds * 1000);
  const looks = setInterval(() => {
    if (child.pid !== undefined && residentBytesOf(child.pid) > limits.residentBytes) end("memory");
  }, lookMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const [, ...outputs] = child.stdio as unknown as readonly AsyncIterable<Buffer>[];
    const bounds = [limits.outputBytes, limits.outputBytes, limits.resultBytes];
    const reads = outputs.map((output, at) => collect(output, bounds[at]!, () => end("output")));
    const code = await exitOf(child, input);
    const [printed = "", errors = "", written = ""] = await Promise.all(reads);
    signal?.throwIfAborted();
    return { stdout: printed, stderr: errors, answer: written, code, ended };
  } finally {
    clearTimeout(timer);
    clearInterval(looks);
    signal?.removeEventListener("abort", onAbort);
    killGroup(child);
  }
}

function exitOf(child: ChildProcess, input: string): Promise<ProcessEnd["code"]> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
    // A process that ends before it has read its input is reported by its exit code.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

async function collect(output: AsyncIterable<Buffer>, limit: number, onExcess: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of output) {
    chunks.push(chunk.subarray(0, Math.max(0, limit - length)));
    length += chunk.length;
    if (length > limit) onExcess();
  }
  return Buffer.concat(chunks).toString("utf8");
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It is gone already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
