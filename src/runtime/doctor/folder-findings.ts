// Checks the data folder and its lock.
// Invariant: pure; a missing folder is ok, because the first start creates it.
import type { FolderFacts, LockFacts } from "../../store/port/inspection.ts";
import type { Finding, LockReport } from "./contract.ts";
import { failed, ok, warning } from "./finding.ts";

const megabyte = 1024 * 1024;
// A new store takes 40 MB, and PostgreSQL stops if it cannot write its log.
const minFreeBytes = 50 * megabyte;
const scarceFreeBytes = 500 * megabyte;

export function folderFindings(facts: FolderFacts): readonly Finding[] {
  return [folderFinding(facts), rightsFinding(facts), roomFinding(facts), socketFinding(facts)].flat();
}

function folderFinding({ path, exists, hasDatabase, refusal }: FolderFacts): Finding {
  if (refusal !== null)
    return failed("folder", refusal, "Choose another folder with --data-dir, or fix its permissions.");
  if (!exists) return ok("folder", `${path} does not exist yet; the first start creates it.`);
  return ok(
    "folder",
    hasDatabase ? `${path} contains a database.` : `${path} contains no database yet; the first start creates it.`,
  );
}

function rightsFinding({ path, mode }: FolderFacts): readonly Finding[] {
  if (mode === null) return [];
  const shown = mode.toString(8).padStart(3, "0");
  if ((mode & 0o077) === 0) return [ok("rights", `Only its owner may enter the data folder (${shown}).`)];
  const found = `Others may read the data folder (${shown}), and so every conversation.`;
  return [warning("rights", found, `Run \`palimpsest doctor --repair\`, or chmod 700 ${path}.`)];
}

function roomFinding({ freeBytes }: FolderFacts): Finding {
  const found = `${Math.floor(freeBytes / megabyte).toLocaleString("en")} MB are free for the data folder.`;
  if (freeBytes < minFreeBytes) return failed("disk", found, "Free some space: otherwise nothing can be stored.");
  return freeBytes < scarceFreeBytes ? warning("disk", found, "Free some space soon.") : ok("disk", found);
}

function socketFinding({ socket }: FolderFacts): readonly Finding[] {
  if (socket === null) return [];
  const { folder, length, limit } = socket;
  const found = `The database's socket is in ${folder} (${length} of ${limit} bytes).`;
  if (length <= limit) return [ok("socket", found)];
  return [failed("socket", found, "Set TMPDIR to a folder with a shorter path, or choose another --data-dir.")];
}

/** Returns the finding on the lock, and whether the lock may be removed. */
export function lockReport(lock: LockFacts): LockReport {
  switch (lock.kind) {
    case "free":
      return { kind: "free", finding: ok("lock", "No process has the data folder open.") };
    case "serving":
      return { kind: "held", finding: ok("lock", `${holderOf(lock)} has the data folder open and answers.`) };
    case "unreadable":
      return { kind: "removable", finding: damaged(lock.file) };
    case "foreign":
      return { kind: "removable", finding: foreign(lock) };
    case "waiting":
    case "refusing":
    case "stopped":
      return { kind: "held", finding: held(lock) };
  }
}

type Held = Extract<LockFacts, { readonly owner: unknown }>;

function holderOf({ owner }: Held): string {
  return `The process ${owner.pid} on the host "${owner.host}"`;
}

function damaged(file: string): Finding {
  return failed(
    "lock",
    `The lock file ${file} is damaged, so it is unknown whether the data folder is in use.`,
    "If no process uses the folder, run `palimpsest doctor --unlock`.",
  );
}

function foreign(lock: Held): Finding {
  return failed(
    "lock",
    `${holderOf(lock)} holds the data folder and cannot be reached from here; the lock file is ${lock.file}.`,
    "End palimpsest on that host. If that host or container no longer exists, run `palimpsest doctor --unlock`.",
  );
}

function held(lock: Held): Finding {
  const { pid } = lock.owner;
  if (lock.kind === "stopped") {
    const advice = `Continue the process with "kill -CONT ${pid}", or end it with "kill -9 ${pid}": no stored data is lost.`;
    return failed("lock", `${holderOf(lock)} has the data folder open and is stopped.`, advice);
  }
  if (lock.kind === "refusing") {
    return failed(
      "lock",
      `${holderOf(lock)} holds the data folder, and its socket is gone.`,
      `End the process ${pid}.`,
    );
  }
  return warning("lock", `${holderOf(lock)} has the data folder open and does not answer.`, "Check again in a minute.");
}
