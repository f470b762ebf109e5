// Identifies the process that holds a store's lock, across hosts, containers, reboots and reused pids.
// Invariant: `isHolderRunning` is true only for the process that wrote the lock, and false for another process with its
// pid.
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import os from "node:os";
import { systemErrorCode } from "./thrown-values.ts";

/** A process, as written into the lock file. */
export interface LockHolder {
  readonly host: string;
  /** Id of the machine's boot, if the system provides it; else empty. */
  readonly boot: string;
  /** The id of the namespace to which `pid` belongs, if the system has namespaces (containers); else empty. */
  readonly namespace: string;
  readonly pid: number;
  /** Start time of the process, in the system's format; empty if unknown. */
  readonly startedAt: string;
}

export function thisHolder(): LockHolder {
  const { pid } = process;
  const { startedAt } = processFacts(pid);
  return { host: os.hostname(), boot: bootId(), namespace: pidNamespace(), pid, startedAt };
}

/** Returns whether the lock was written on another machine or in another container, where no process can be checked. */
export function isOnOtherHost(holder: LockHolder): boolean {
  return holder.host !== os.hostname() || holder.namespace !== pidNamespace();
}

/** Returns whether the holder still runs. Only valid for a holder on this machine. */
export function isHolderRunning(holder: LockHolder): boolean {
  return holder.boot === bootId() && runningSince(holder.pid) === holder.startedAt;
}

/**
 * Returns the start time of a process on this machine; null if the process has ended. A zombie counts as ended: it
 * keeps its pid until its parent reads the exit code, which in containers often never happens.
 */
export function runningSince(pid: number): string | null {
  // A pid of 0 or less is refused, because the system would take it for a group of processes.
  if (!(pid > 0) || !isPidAlive(pid)) return null;
  const { state, startedAt } = processFacts(pid);
  return /^[ZX]/iu.test(state) ? null : startedAt;
}

/**
 * Returns a word that identifies a running process in a file's name, even after a reboot; null if the process has
 * ended. Where the system reports no start times, a later process with the same pid gets the same word.
 */
export function processWord(pid: number): string | null {
  const startedAt = runningSince(pid);
  return startedAt === null ? null : `${pid}-${bootId()}-${startedAt}`.replaceAll(/[^\w-]+/gu, "_");
}

/** Returns whether the holder is suspended (Ctrl+Z, SIGSTOP), so that it cannot answer until it is continued. */
export function isHolderStopped(holder: LockHolder): boolean {
  return /^T/iu.test(processFacts(holder.pid).state);
}

function bootId(): string {
  return textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
}

function pidNamespace(): string {
  return textOf(() => readlinkSync("/proc/self/ns/pid"));
}

function isPidAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // With EPERM, the process exists but belongs to another user.
    return systemErrorCode(cause) === "EPERM";
  }
}

function processFacts(pid: number): { readonly state: string; readonly startedAt: string } {
  if (process.platform === "linux") {
    // /proc/PID/stat: the fields follow the command's name in parentheses. Field 3 is the state, field 22 the start
    // time.
    const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  }
  if (process.platform === "win32") return { state: "", startedAt: "" };
  const ask = (column: string): string =>
    textOf(() =>
      execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  return { state: ask("state"), startedAt: ask("lstart") };
}

/** Returns what the system answers, without surrounding white space; an empty text if it has no answer. */
function textOf(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}
