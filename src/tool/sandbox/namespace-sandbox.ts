// The sandbox: each call runs in a separate process, isolated by the kernel's namespaces, with an input, bounded
// outputs and bounded memory. A filter of system calls (runner.py) keeps all processes of a call in one group.
// Invariant: the sandbox exists only after a successful probe on this machine; when a call ends, its process and all processes
// that it started have ended, and its timers are cleared.
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { ConfigError, RequestError } from "../../base/errors.ts";
import { parseObject } from "../../base/json-values.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { createSlots } from "../../base/waiting.ts";
import type { Sandbox, SourceCall, SourceDescription, SourceResult } from "../sandbox.ts";
import { isolatedCommand, type IsolatedCommand } from "./isolated-command.ts";
import { maxRunning, residentBytesOf, sandboxLimits, type SandboxLimits, systemPath } from "./sandbox-limits.ts";
import { MissingPart, readSystemView, type SystemView } from "./system-view.ts";

export interface NamespaceSandboxOptions {
  /** The command that starts Python. Default `python3`. */
  readonly python?: string;
  readonly limits?: SandboxLimits;
}

/** Opens the sandbox. Throws ConfigError, which names the missing part, on a machine that cannot isolate a process. */
export async function openNamespaceSandbox(options: NamespaceSandboxOptions = {}): Promise<Sandbox> {
  const { python = "python3", limits = sandboxLimits } = options;
  const view = await readSystemView(python, limits).catch((error: unknown) => {
    throw error instanceof MissingPart ? unavailable(`it needs ${error.message}`, error) : error;
  });
  const sandbox = sandboxOf(view, limits);
  try {
    await probe(sandbox);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return sandbox;
}

interface Task {
  readonly task: "describe" | "call";
  readonly source: string;
  readonly name?: string | undefined;
  readonly arguments?: SourceCall["args"];
  readonly signal?: AbortSignal | undefined;
}

/** An answer of runner.py. */
type Answer =
  | { readonly status: "ok" | "failed" | "refused"; readonly text: string }
  | ({ readonly status: "ok" } & SourceDescription);

type Run = (task: Task) => Promise<ProcessEnd>;

function sandboxOf(view: SystemView, limits: SandboxLimits): Sandbox {
  const slots = createSlots(maxRunning);
  const nextUser = process.getuid?.() === 0 ? createUserIds() : () => null;
  const run: Run = ({ signal, ...task }) =>
    slots.use(async () => {
      const input = JSON.stringify({ ...task, limits, packages: view.packages });
      return runBounded({ isolated: isolatedCommand(view, nextUser()), input, limits, signal });
    }, signal);
  return {
    describe: (source, name) => describe(run, { task: "describe", source, name }, limits),
    run: ({ args, ...source }) => call(run, { task: "call", arguments: args, ...source }, limits),
    close: () => rm(view.folder, { recursive: true, force: true }),
  };
}

/** Returns a function that returns a new user id, which no system assigns and no other running call has. */
function createUserIds(): () => number {
  const first = 1_900_000_000;
  let count = process.pid % 1000;
  return () => {
    count = (count + 1) % 1_000_000;
    return first + count;
  };
}

async function describe(run: Run, task: Task, limits: SandboxLimits): Promise<SourceDescription> {
  const end = await run(task);
  const answer = readAnswer(end);
  if (answer === null) throw invalidSource(`reading it failed, because ${howItEnded(end, limits)}`);
  if (answer.status !== "ok" || !("parameters" in answer)) throw invalidSource("text" in answer ? answer.text : "");
  const { status: _, ...description } = answer;
  return description;
}

async function call(run: Run, task: Task, limits: SandboxLimits): Promise<SourceResult> {
  const end = await run(task);
  const { stdout, stderr } = end;
  const answer = end.ended === null ? readAnswer(end) : null;
  if (answer === null || !("text" in answer))
    return { status: "failed", text: howItEnded(end, limits), stdout, stderr };
  return { status: answer.status === "ok" ? "ok" : "failed", text: answer.text, stdout, stderr };
}

/** Returns the runner's answer; null if it is missing, truncated, or not the runner's. */
function readAnswer({ answer }: ProcessEnd): Answer | null {
  const value = parseObject(answer);
  const isAnswer = value !== undefined && "status" in value && ["string", "undefined"].includes(typeof value["text"]);
  return isAnswer ? (value as unknown as Answer) : null;
}

function howItEnded({ code, ended, stderr }: ProcessEnd, { seconds, residentBytes }: SandboxLimits): string {
  if (ended === "time") return `the code took longer than ${seconds} seconds and was ended`;
  if (ended === "memory")
    return `the processes of the code took more than ${residentBytes / 1024 ** 2} MB of memory and were ended`;
  if (ended === "output") return "the code wrote or returned more than the sandbox allows and was ended";
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return `the process of the code ended without a result (${code ?? "unknown"})${last === "" ? "" : `, with "${last}"`}`;
}

function invalidSource(problem: string): RequestError {
  return new RequestError("tool_source_invalid", `The source code of the tool: ${problem}.`, { field: "source" });
}

const probeSource = `
def probe(word: str) -> str:
    """Returns the word."""
    return word
`;

/** Reads and runs a function to test everything that a call needs. Throws ConfigError on failure. */
async function probe(sandbox: Sandbox): Promise<void> {
  const result = await sandbox.run({ source: probeSource, name: "probe", args: { word: "works" } }).catch((error) => {
    throw unavailable(messageOf(error), error);
  });
  if (result.status === "ok" && result.text === "works") return;
  throw unavailable(result.text);
}

function unavailable(problem: string, cause?: unknown): ConfigError {
  const message =
    `Expected a machine that can isolate the processes of tools (\`sandbox\`: "namespaces"), got one that cannot: ${problem}. ` +
    "In a container, allow namespaces and mounts, as docs/tools.md describes, or set `sandbox` to off.";
  return new ConfigError(message, { field: "sandbox", ...(cause === undefined ? {} : { cause }) });
}

interface BoundedProcess {
  readonly isolated: IsolatedCommand;
  readonly input: string;
  readonly limits: SandboxLimits;
  readonly signal?: AbortSignal | undefined;
}

interface ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** The output of the process on file descriptor 3. */
  readonly answer: string;
  /** The exit code of the process, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  /** The limit for which the process was killed; null if it exited by itself. */
  readonly ended: "time" | "output" | "memory" | null;
}

/** The complete environment of the process. */
const environment = { PATH: systemPath, HOME: "/tmp", LC_ALL: "C.UTF-8" };

/** Milliseconds between two checks of the memory. */
const lookMs = 50;

/**
 * Runs the process within its limits and returns how it ended. Throws the signal's reason, or the error of a command
 * that cannot be started.
 */
export async function runBounded({ isolated, input, limits, signal }: BoundedProcess): Promise<ProcessEnd> {
  signal?.throwIfAborted();
  // The process gets its own group, which is killed as a whole, and which a terminal does not interrupt.
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
    // The error is ignored: the exit code reports a process that ends before it has read its input.
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
    // ESRCH: the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
