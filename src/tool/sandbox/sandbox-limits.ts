// The limits of one call in the sandbox, its paths inside, the memory that it uses, and the share of one user.
// Invariant: whatever a user runs, slots remain for the calls of others; a process that ends while memory is measured
// counts as nothing.
import { readdirSync, readFileSync } from "node:fs";
import { createSlots } from "../../base/waiting.ts";
import type { Sandbox } from "../sandbox.ts";

export const sandboxLimits = {
  /** Of CPU time, and of the clock. */
  seconds: 30,
  /** Address space of each process. */
  memoryBytes: 512 * 1024 * 1024,
  /** Resident memory of all processes together. More than that of one, which fails with a MemoryError first. */
  residentBytes: 640 * 1024 * 1024,
  /** Processes and threads. */
  processes: 16,
  /** Of one file. */
  fileBytes: 16 * 1024 * 1024,
  /** All files in the only writable folder, which is in memory. */
  folderBytes: 32 * 1024 * 1024,
  openFiles: 64,
  /** Of each of stdout and stderr. More ends the call. */
  outputBytes: 1024 * 1024,
  /** Of the returned value as JSON. */
  resultBytes: 4 * 1024 * 1024,
} as const;

export type SandboxLimits = { readonly [Key in keyof typeof sandboxLimits]: number };

/** Calls that run at the same time; others wait. */
export const maxRunning = 8;

/** Those of one user. */
export const maxRunningOfUser = 4;

/** The program that reads and runs source code. */
export const runnerPath = "/runner.py";

/** Where programs are searched, here and inside. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The same sandbox; calls beyond the share wait. */
export function shareOf(sandbox: Sandbox): Sandbox {
  const slots = createSlots(maxRunningOfUser);
  return {
    ...sandbox,
    describe: (source, name) => slots.use(() => sandbox.describe(source, name)),
    run: (call) => slots.use(() => sandbox.run(call), call.signal),
  };
}

/** Where the kernel lists the children of a thread, if it was built with that. */
export const ownChildren = "/proc/thread-self/children";

/** Memory that processes share counts in each. Not asynchronous, because these files are on no disk. */
export function residentBytesOf(id: number | string): number {
  const status = ifThere(() => readFileSync(`/proc/${id}/status`, "latin1")) ?? "";
  // Also what was swapped out.
  const own = [...status.matchAll(/^Vm(?:RSS|Swap):\s*(\d+) kB$/gmu)].map(([, kilobytes]) => Number(kilobytes) * 1024);
  return [...own, ...childrenOf(id).map(residentBytesOf)].reduce((sum, bytes) => sum + bytes, 0);
}

function childrenOf(id: number | string): readonly string[] {
  const threads = ifThere(() => readdirSync(`/proc/${id}/task`)) ?? [];
  return threads.flatMap((thread) => {
    const listed = ifThere(() => readFileSync(`/proc/${id}/task/${thread}/children`, "latin1")) ?? "";
    return listed.split(" ").filter((child) => child !== "");
  });
}

function ifThere<Content>(read: () => Content): Content | null {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
