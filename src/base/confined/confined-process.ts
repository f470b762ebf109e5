// Runs work on untrusted input in separate processes, with limits of time and memory.
// Invariant: the work never blocks this process's event loop. A process that exceeds a limit is killed, and only the request
// that it worked on fails.
import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { packageRoot } from "../package-root.ts";
import { createSlots } from "../waiting.ts";
import { ConfigError } from "../errors.ts";

export interface WorkLimits {
  /** Maximum seconds of processor time for one request. */
  readonly seconds: number;
  /** Maximum resident megabytes of the process; Node itself takes about 60. */
  readonly megabytes: number;
}

export type Outcome<Reply> =
  | { readonly isDone: true; readonly reply: Reply }
  | { readonly isDone: false; readonly exceeded: keyof WorkLimits };

export interface ConfinedWork<Request, Reply> {
  /** Runs the work on a request. Throws the signal's reason, and any error of the work. */
  run(request: Request, signal?: AbortSignal): Promise<Outcome<Reply>>;
}

export interface ConfinedOptions {
  /** The path in `src/` of the module that calls `answerRequests`, without an extension. */
  readonly module: string;
  readonly limits: WorkLimits;
}

/** The message that a process sends back for a request. */
export type Answer<Reply> = { readonly reply: Reply } | { readonly error: unknown };

/** The signal that kills a process at its time limit. A process killed by another signal exceeded its memory limit. */
export const timeSignal = "SIGALRM";

/** Maximum number of processes at a time: most machines can spare two processors. Further requests wait. */
const maxProcesses = 2;
/** Milliseconds without a request after which a process is ended. */
const idleMs = 5000;

/** Creates a runner that starts processes on demand and reuses idle ones. */
export function createConfinedWork<Request, Reply>(options: ConfinedOptions): ConfinedWork<Request, Reply> {
  const idle = new Set<ChildProcess>();
  const slots = createSlots(maxProcesses);

  function take(): ChildProcess {
    const [child] = idle;
    if (child !== undefined) {
      idle.delete(child);
      return child;
    }
    const started = start(options);
    started.once("exit", () => idle.delete(started));
    return started;
  }

  function giveBack(child: ChildProcess): void {
    if (!child.connected || child.killed) return;
    idle.add(child);
    // An idle process does not keep this process alive, and ends with it.
    child.unref();
    child.channel?.unref();
    setTimeout(() => {
      if (idle.delete(child)) child.kill();
    }, idleMs).unref();
  }

  return {
    run: (request, signal) =>
      slots.use(async () => {
        const child = take();
        try {
          return await outcomeOf<Reply>(child, request, signal);
        } finally {
          giveBack(child);
        }
      }, signal),
  };
}

function start({ module, limits }: ConfinedOptions): ChildProcess {
  // The heap gets four fifths of the memory limit. The child gets no environment variables, because they may contain API keys.
  const execArgv = [`--max-old-space-size=${Math.ceil(limits.megabytes * 0.8)}`];
  const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
  // Runs the built module, even when this process runs from the sources, because Node 20 cannot run TypeScript.
  const child = fork(path.join(packageRoot(), "dist", "src", `${module}.js`), [JSON.stringify(limits)], {
    execArgv,
    env: {},
    serialization: "advanced",
    stdio: [...stdio],
  });
  // The child has a lower priority, because this process serves other users in the meantime.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return child;
}

function outcomeOf<Reply>(
  child: ChildProcess,
  request: unknown,
  signal: AbortSignal | undefined,
): Promise<Outcome<Reply>> {
  const over = new AbortController();
  const work = new Promise<Outcome<Reply>>((resolve, reject) => {
    const onMessage = (answer: Answer<Reply>): void => {
      if ("reply" in answer) resolve({ isDone: true, reply: answer.reply });
      else reject(answer.error);
    };
    const onExit = (code: number | null, by: NodeJS.Signals | null): void => {
      if (signal?.aborted === true) reject(signal.reason);
      else if (by === null && code !== outOfMemory) reject(unexpectedEnd(child, code));
      else resolve({ isDone: false, exceeded: by === timeSignal ? "seconds" : "megabytes" });
    };
    child.on("message", onMessage).on("exit", onExit).on("error", reject);
    signal?.addEventListener("abort", () => child.kill("SIGKILL"), { signal: over.signal });
    over.signal.addEventListener("abort", () =>
      child.off("message", onMessage).off("exit", onExit).off("error", reject),
    );
    child.ref();
    child.channel?.ref();
    child.send(request as object);
  });
  return work.finally(() => over.abort());
}

/** The exit code of a process that V8 has aborted because its heap was full: 128 + SIGABRT, as in a shell. */
const outOfMemory = 134;

function unexpectedEnd({ spawnargs }: ChildProcess, code: number | null): ConfigError {
  return new ConfigError(
    `A child process ended unexpectedly with exit code ${code}: ${spawnargs.join(" ")}. Install the package again.`,
  );
}
