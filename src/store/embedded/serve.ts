// Runs the embedded server: the one process or thread that has the database open, and that serves it to all other processes.
// Invariant: the server listens, takes the lock, opens the database and migrates it, in this order, and ends in the reverse
// order. So the database is open only while the lock is held and the socket listens. A server that has lost the lock writes
// nothing more, because another server may have opened the files.
import type { PGlite } from "@electric-sql/pglite";
import { StoreError } from "../../base/errors.ts";
import { createBackend } from "./backend.ts";
import { createBackendTurns } from "./backend-turns.ts";
import { serveClient } from "./client-connection.ts";
import { judgeLock } from "./judge-lock.ts";
import { thisHolder } from "../../base/lock-holder.ts";
import { newestMigration } from "./migration-journal.ts";
import { openDatabase, openInMemory } from "./open-database.ts";
import { createServerDoor, type ServerDoor } from "./server-door.ts";
import { readSecret } from "./server-endpoint.ts";
import { isServerLockHeld, readServerLock, releaseServerLock, type ServerLock, takeServerLock } from "./server-lock.ts";
import type { ServeOptions } from "./server-report.ts";
import { openStoreFolder, type StoreFolder } from "./store-folder.ts";

/** Interval in milliseconds at which the server checks that it still holds the lock. */
const lockCheckMs = 1_000;

export interface ServeEvents {
  readonly onProgress: (line: string) => void;
  /** Called after `idleMs` without a connection. The server still runs until its owner closes it. */
  readonly onIdle: () => void;
  /** Called when the server can no longer be used: its backend is broken, or it has lost the lock. */
  readonly onBroken: (cause: unknown) => void;
}

export interface RunningServer {
  /** Rolls back open transactions, closes the database and releases the lock. Repeated calls have no effect. */
  close(how: "cleanly" | "broken"): Promise<void>;
}

/**
 * Starts serving the folder. Returns undefined if another server has the folder. Throws StoreError if the database
 * cannot be opened.
 */
export async function serve(options: ServeOptions, events: ServeEvents): Promise<RunningServer | undefined> {
  const folder = openStoreFolder(options.folder);
  const door = await createServerDoor(folder, { ...options, onIdle: events.onIdle });
  const lock = await takeLock(folder, door, options.migrationsFolder);
  if (lock === undefined) return undefined;
  try {
    const { migrationsFolder, isInMemory } = options;
    const database = isInMemory
      ? await openInMemory(migrationsFolder)
      : await openDatabase(folder, { migrationsFolder, log: events.onProgress });
    await welcomeClients(database, door, { options, events, folder });
    return { close: closeOnce({ door, lock, database, watch: watchLock(lock, events) }) };
  } catch (cause) {
    await releaseServer(door, lock);
    throw cause;
  }
}

async function takeLock(
  folder: StoreFolder,
  door: ServerDoor,
  migrationsFolder: string,
): Promise<ServerLock | undefined> {
  try {
    const schema = newestMigration(migrationsFolder).when;
    const present = readServerLock(folder);
    if ((await judgeLock(present, folder, 1000)) === "free") {
      const lock = takeServerLock(folder, present?.number ?? 0, { ...thisHolder(), endpoint: door.endpoint, schema });
      if (lock !== undefined) return lock;
    }
  } catch (cause) {
    await leave(door);
    throw cause;
  }
  await leave(door);
  return undefined;
}

interface Serving {
  readonly options: ServeOptions;
  readonly events: ServeEvents;
  readonly folder: StoreFolder;
}

async function welcomeClients(database: PGlite, door: ServerDoor, { options, events, folder }: Serving): Promise<void> {
  const backend = await createBackend(database);
  const turns = createBackendTurns(backend, options.stallMs);
  const secret = options.transport === "tcp" ? readSecret(folder) : undefined;
  door.open((socket) => serveClient(socket, { backend, turns, secret, onBroken: events.onBroken }));
  // The first reset takes 10 ms. It runs after this start was reported as ready, while the first client connects.
  setImmediate(() => void backend.resetSettings().catch(events.onBroken));
}

/** Calls `onBroken` once if the lock is lost, because the folder was removed or a person released the lock. */
function watchLock(lock: ServerLock, { onBroken }: ServeEvents): NodeJS.Timeout {
  const watch = setInterval(() => {
    if (isServerLockHeld(lock)) return;
    clearInterval(watch);
    onBroken(
      new StoreError(
        "store_locked",
        `The lock ${lock.file} was taken over or removed: this server stops using the folder.`,
      ),
    );
  }, lockCheckMs);
  return watch.unref();
}

interface Opened {
  readonly door: ServerDoor;
  readonly lock: ServerLock;
  readonly database: PGlite;
  readonly watch: NodeJS.Timeout;
}

function closeOnce({ door, lock, database, watch }: Opened): RunningServer["close"] {
  let closing: Promise<void> | undefined;
  const close = async (how: "cleanly" | "broken"): Promise<void> => {
    clearInterval(watch);
    door.clear();
    // A broken engine is not closed: the next server recovers from the write-ahead log. If the lock is lost, the engine is
    // not closed either: closing writes to the files, which may belong to the new holder.
    if (how === "cleanly" && isServerLockHeld(lock)) await database.close();
    await releaseServer(door, lock);
  };
  return (how) => (closing ??= close(how));
}

async function releaseServer(door: ServerDoor, lock: ServerLock): Promise<void> {
  releaseServerLock(lock);
  await leave(door);
}

async function leave(door: ServerDoor): Promise<void> {
  door.clear();
  await door.remove();
}
