// Measures the memory of a process and of all that it has started.
// Invariant: a process that ends meanwhile counts as nothing.
import { readdirSync, readFileSync } from "node:fs";

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
