// Reads what a PostgreSQL server has done: commits, bytes of WAL, and CPU time if it runs on this machine. Also reads
// the CPU time and the memory of a process of this machine.
// Invariant: a server's values are exact only while no other client uses it, after the measured clients have disconnected.
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";

export interface ServerUsage {
  readonly commits: number;
  readonly walBytes: number;
  /** Null for a server on another machine. */
  readonly cpuMs: number | null;
}

/** Milliseconds of a clock tick of Linux. */
const tickMs = 10;

export async function readServerUsage(url: string): Promise<ServerUsage> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const [row] = await sql<{ commits: number; wal: number; pid: number }[]>`
      select xact_commit::float8 as commits, (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, pg_backend_pid() as pid
      from pg_stat_database where datname = current_database()`;
    return { commits: row!.commits, walBytes: row!.wal, cpuMs: cpuOfServer(row!.pid) };
  } finally {
    await sql.end();
  }
}

/** CPU time of the server's processes, with those that have ended. */
function cpuOfServer(backend: number): number | null {
  const own = statOf(backend);
  if (own === null || !own.name.startsWith("postgres")) return null;
  const processes = readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry));
  const stats = processes.map((pid) => statOf(Number(pid))).filter((stat) => stat !== null);
  const server = stats.find(({ pid }) => pid === own.parent);
  const living = stats.filter(({ parent }) => parent === own.parent);
  return living.reduce((sum, { ticks }) => sum + ticks, server?.endedTicks ?? 0) * tickMs;
}

/** Milliseconds of CPU time that a process has used; 0 if it has ended, or where there is no `/proc`. */
export function cpuOfProcess(pid: number): number {
  return (statOf(pid)?.ticks ?? 0) * tickMs;
}

/** Bytes of resident memory of a process. Throws where there is no `/proc`, and if the process has ended. */
export function rssOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

function statOf(pid: number) {
  try {
    const [, name = "", rest = ""] = /\((.*)\) (.*)/su.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const fields = rest.split(" ").map(Number);
    // proc(5): fields 4, 14 to 17 of the file; these are counted from field 3.
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { pid, name, parent, ticks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    // It has ended, or this is not Linux.
    return null;
  }
}
