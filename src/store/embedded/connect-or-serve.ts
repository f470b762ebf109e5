// Connects to the embedded database: to the running server of the folder, or to a newly started one.
// Invariant: if many processes call `connectOrServe` at once, one server is started and all get its address. If the server
// later exits, its clients call the function again; no process takes over by itself. Every wait has a limit, after which an
// error names the process that holds the folder, and says what to do.
import { judgeLock, type LockJudgement } from "./judge-lock.ts";
import { isHolderRunning, isHolderStopped } from "../../base/lock-holder.ts";
import { newerSchemaError, newestMigration, packageMigrations } from "./migration-journal.ts";
import { connectionTo, type EmbeddedConnection } from "./server-endpoint.ts";
import { readServerLock, type ServerLock } from "./server-lock.ts";
import type { ServeOptions } from "./server-report.ts";
import { earlyEnd, type StartOutcome, startProcess, startWorker } from "./start-server.ts";
import { openStoreFolder, type StoreFolder } from "./store-folder.ts";
import { systemClock } from "../../base/clock.ts";
import { StoreError } from "../../base/errors.ts";

export interface EmbeddedOptions {
  /** The store's folder; the database is in its `pgdata`. Created if missing. */
  readonly folder: string;
  /** Where a server is started if there is none: in a detached process, or in a worker thread of this process. */
  readonly host: "process" | "worker";
  /** Milliseconds without a connection after which a server process exits. Default 30,000. */
  readonly idleMs?: number;
  /** Milliseconds that a client may be silent inside a transaction while others wait. Default 2,500. */
  readonly stallMs?: number;
  /** Milliseconds to wait for a server that does not answer. Default 60,000, since a long statement delays the answer. */
  readonly patienceMs?: number;
  /** The folder with drizzle's migrations. Default: the package's own. */
  readonly migrationsFolder?: string;
  /** How clients reach the server. Default: by unix sockets, and on Windows by TCP with a secret. */
  readonly transport?: "unix" | "tcp";
  /** Whether a worker thread keeps the database in memory: the folder then contains only the lock. Default false. */
  readonly isInMemory?: boolean;
  /** Called with one line before each long operation. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedServer {
  /** Options for `postgres()`. */
  readonly connection: EmbeddedConnection;
  /** Returns whether the server's process is suspended (Ctrl+Z, SIGSTOP), and answers nothing until it is continued. */
  isStopped(): boolean;
  /** Ends the worker thread, if this server runs in one that `connectOrServe` started; otherwise does nothing. */
  close(): Promise<void>;
}

/**
 * Returns the server of a folder; starts one if none runs. Throws StoreError: `data_folder_invalid` (unusable or
 * corrupt), `store_locked` (held by another machine, by a process without a socket, or by an older version),
 * `store_schema_newer`, `store_schema_unknown`, `store_unreachable` (a server exists but does not answer),
 * `store_failed` (a migration failed, or the package was not built).
 */
export async function connectOrServe(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const folder = openStoreFolder(options.folder);
  const migrationsFolder = options.migrationsFolder ?? packageMigrations();
  const known = newestMigration(migrationsFolder);
  const patience = createPatience(options);
  let killedStarts = 0;
  for (;;) {
    const lock = readServerLock(folder);
    const judgement = await judgeLock(lock, folder, 1000);
    if (judgement === "free") {
      const started = await start(folder, { ...options, migrationsFolder });
      if (typeof started === "object") return started;
      if (started === "killed") killedStarts += 1;
      if (killedStarts === maxKilledStarts) throw earlyEnd(folder, `by a signal, ${killedStarts} times in succession`);
    } else if (judgement !== "serving") {
      await patience.wait(judgement, lock!);
    } else if (lock!.entry.schema > known.when) {
      throw newerSchemaError(lock!.entry.schema, known);
    } else if (lock!.entry.schema < known.when) {
      await patience.waitForOlder(lock!, () => readServerLock(folder));
    } else {
      return attach(folder, lock!);
    }
  }
}

function attach(
  folder: StoreFolder,
  lock: ServerLock,
  close: () => Promise<void> = async () => undefined,
): EmbeddedServer {
  return {
    connection: connectionTo(folder, lock.entry.endpoint),
    isStopped: () => isHolderStopped(lock.entry),
    close,
  };
}

/** Number of starts in succession that a signal may end before an error is thrown. A killed start loses no data. */
const maxKilledStarts = 3;

/**
 * Starts a server. Returns the server; or the outcome, if another process was faster or a signal ended the start: the caller
 * must then read the lock again.
 */
async function start(
  folder: StoreFolder,
  options: EmbeddedOptions & { readonly migrationsFolder: string },
): Promise<EmbeddedServer | StartOutcome> {
  const log = options.log ?? (() => undefined);
  const serveOptions: ServeOptions = {
    folder: folder.root,
    migrationsFolder: options.migrationsFolder,
    transport: options.transport ?? (process.platform === "win32" ? "tcp" : "unix"),
    idleMs: options.host === "process" ? (options.idleMs ?? 30_000) : undefined,
    stallMs: options.stallMs ?? 2_500,
    isInMemory: options.isInMemory ?? false,
  };
  if (options.host === "process") {
    const outcome = await startProcess(folder, serveOptions, log);
    const lock = outcome === "ready" ? readServerLock(folder) : undefined;
    return lock === undefined ? outcome : attach(folder, lock);
  }
  const worker = await startWorker(serveOptions, log);
  return worker === "held" ? worker : attach(folder, readServerLock(folder)!, worker.close);
}

interface HolderPatience {
  /** Waits briefly before the lock is judged again. Throws StoreError if further waiting is useless. */
  wait(judgement: LockJudgement, lock: ServerLock): Promise<void>;
  /**
   * Waits until the server of an older version has exited. Checks only its lock and its process, because a connection would
   * keep the server running. Throws StoreError `store_locked` if the server stays in use.
   */
  waitForOlder(lock: ServerLock, readLock: () => ServerLock | undefined): Promise<void>;
}

const PAUSE_MS = 50;
// Milliseconds to wait while the holder's process runs but its socket refuses connections: it may be about to exit.
const MAX_REFUSAL_MS = 10_000;

/** Returns the waits of one `connectOrServe` call, which share one time limit, counted from now. */
function createPatience({ patienceMs = 60_000, log }: Pick<EmbeddedOptions, "patienceMs" | "log">): HolderPatience {
  const begun = Date.now();
  const isOver = (limitMs: number): boolean => Date.now() - begun > limitMs;
  let hasReported = false;
  const report = (line: string): void => {
    if (!hasReported) log?.(line);
    hasReported = true;
  };

  return {
    async wait(judgement, lock) {
      if (judgement === "refusing" && isOver(Math.min(patienceMs, MAX_REFUSAL_MS))) throw unresponsiveHolderError(lock);
      if (isOver(patienceMs) || isHolderStopped(lock.entry)) throw unresponsiveError(lock);
      if (judgement === "silent") report(`waiting for process ${lock.entry.pid}, which serves the data folder`);
      await systemClock.sleep(PAUSE_MS);
    },
    async waitForOlder(lock, readLock) {
      report(`waiting for process ${lock.entry.pid} of an older version to release the data folder`);
      while (readLock()?.number === lock.number && readLock()?.entry.released !== true && isHolderRunning(lock.entry)) {
        if (isOver(patienceMs)) throw olderVersionError(lock);
        await systemClock.sleep(PAUSE_MS);
      }
    },
  };
}

function unresponsiveError(lock: ServerLock): StoreError {
  const { pid } = lock.entry;
  if (isHolderStopped(lock.entry)) {
    return new StoreError(
      "store_unreachable",
      `Process ${pid}, which serves the data folder, is suspended. Continue it with "kill -CONT ${pid}", or end it with "kill -9 ${pid}": committed data is not lost.`,
    );
  }
  return new StoreError(
    "store_unreachable",
    `Process ${pid}, which serves the data folder, does not answer. Try again later, or end it with "kill -9 ${pid}": committed data is not lost.`,
  );
}

function unresponsiveHolderError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `Process ${lock.entry.pid} holds the data folder, but its socket is gone. End that process; if it is unrelated to this folder, remove ${lock.file}.`,
  );
}

function olderVersionError(lock: ServerLock): StoreError {
  return new StoreError(
    "store_locked",
    `The data folder is in use by an older version of Palimpsest (process ${lock.entry.pid}). ` +
      "Close the programs that use the folder, and start this one again: the older process then exits by itself.",
  );
}
