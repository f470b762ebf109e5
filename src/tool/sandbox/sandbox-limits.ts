// Defines the limits of one call in the sandbox and the paths inside it, measures its memory, and limits the share of a user.
// Invariant: one user's calls never take all slots; a process that ends while memory is measured counts as 0 bytes.
import { readdirSync, readFileSync } from "node:fs";
import { createSlots } from "../../base/waiting.ts";
import type { Sandbox } from "../sandbox.ts";

export const sandboxLimits = {
  /** Maximum CPU time, and maximum duration of the call, in seconds. */
  seconds: 30,
  /** Maximum address space of each process. */
  memoryBytes: 512 * 1024 * 1024,
  /** Maximum resident memory of all processes; above `memoryBytes`, so that one process first gets a MemoryError. */
  residentBytes: 640 * 1024 * 1024,
  /** Maximum number of processes and threads. */
  processes: 16,
  /** Maximum size of one file. */
  fileBytes: 16 * 1024 * 1024,
  /** Maximum size of all files in the only writable folder, which is in memory. */
  folderBytes: 32 * 1024 * 1024,
  openFiles: 64,
  /** Maximum output, each of stdout and stderr. More output ends the call. */
  outputBytes: 1024 * 1024,
  /** Maximum size of the returned value as JSON. */
  resultBytes: 4 * 1024 * 1024,
} as const;

export type SandboxLimits = { readonly [Key in keyof typeof sandboxLimits]: number };

/** Maximum calls that run at the same time; others wait. */
export const maxRunning = 8;

/** Maximum calls of one user that run at the same time. */
export const maxRunningOfUser = 4;

/** The path, inside the sandbox, of the program that reads and runs source code. */
export const runnerPath = "/runner.py";

/** The search path of programs, on this machine and in the sandbox. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the sandbox for one user. Calls beyond the user's share wait. */
export function shareOf(sandbox: Sandbox): Sandbox {
  const slots = createSlots(maxRunningOfUser);
  return {
    ...sandbox,
    describe: (source, name) => slots.use(() => sandbox.describe(source, name)),
    run: (call) => slots.use(() => sandbox.run(call), call.signal),
  };
}

/** The file in which the kernel lists the children of a thread, if it was built with that feature. */
export const ownChildren = "/proc/thread-self/children";

/**
 * Returns the resident and swapped bytes of a process and its descendants; shared memory counts for each process.
 * Synchronous, because the files in /proc are not on a disk.
 */
export function residentBytesOf(id: number | string): number {
  const status = ifThere(() => readFileSync(`/proc/${id}/status`, "latin1")) ?? "";
  // VmSwap is included, because swapped memory counts too.
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
