// The sandbox: each call is a process of its own, isolated by the kernel's namespaces.
// Invariant: it exists only if a probe has run in it on this machine.
import { rm } from "node:fs/promises";
import { messageOf } from "../../base/thrown-values.ts";
import { ConfigError, RequestError } from "../../base/errors.ts";
import type { Sandbox, SourceCall, SourceDescription, SourceResult } from "../sandbox.ts";
import { type ProcessEnd, runBounded } from "./bounded-process.ts";
import { isolatedCommand } from "./isolated-command.ts";
import { maxRunning, sandboxLimits, type SandboxLimits } from "./sandbox-limits.ts";
import { createSlots } from "../../base/waiting.ts";
import { MissingPart, readSystemView, type SystemView } from "./system-view.ts";

export interface NamespaceSandboxOptions {
  /** The command that starts Python. Default `python3`. */
  readonly python?: string;
  readonly limits?: SandboxLimits;
}

/** Throws ConfigError, with what is missing, on a machine that cannot isolate a process. */
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

/** What runner.py writes. */
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

/** Users that no system has, and that nothing else uses at the same time. */
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
  if (answer === null) throw invalidSource(`it could not be read: ${howItEnded(end, limits)}`);
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

/** Returns null for an answer that is missing, cut, or not the runner's. */
function readAnswer({ answer }: ProcessEnd): Answer | null {
  try {
    const value: unknown = JSON.parse(answer);
    const isAnswer = typeof value === "object" && value !== null && "status" in value;
    return isAnswer && ("text" in value ? typeof value.text === "string" : true) ? (value as Answer) : null;
  } catch {
    return null;
  }
}

function howItEnded({ code, ended, stderr }: ProcessEnd, { seconds, residentBytes }: SandboxLimits): string {
  if (ended === "time") return `it took longer than ${seconds} seconds and was ended`;
  if (ended === "memory")
    return `its processes took more than ${residentBytes / 1024 ** 2} MB of memory and were ended`;
  if (ended === "output") return "it wrote or returned more than the sandbox allows and was ended";
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return `its process ended without a result (${code ?? "unknown"})${last === "" ? "" : `: ${last}`}`;
}

function invalidSource(problem: string): RequestError {
  return new RequestError("tool_source_invalid", `The source code of the tool: ${problem}.`, { field: "source" });
}

const probeSource = `
def probe(word: str) -> str:
    """Returns the word."""
    return word
`;

/** Reads and runs a function, so that everything that a call needs is known to work. */
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
