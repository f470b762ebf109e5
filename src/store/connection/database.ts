// Runs all queries, each in a transaction whose role and user are set before the first statement.
// Invariant: work is retried only if the database cannot have committed it, or if the caller declares it repeatable; a
// lost connection affects only its own transaction. Everything is retried only a limited number of times. If several
// transactions find the embedded server gone at once, only one replaces the client, for all.
import { AsyncLocalStorage } from "node:async_hooks";
import { StoreError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { ConnectionCounts } from "../port/store.ts";
import { type CallListener, createCallListener } from "./call-listener.ts";
import { type DatabaseClient, type DatabaseConnection, openClient, openListeningClient } from "./database-client.ts";
import {
  isConnectionBroken,
  isConnectionLate,
  isConnectionLost,
  isDeadlock,
  storeErrorOf,
  unknownCommitError,
} from "./database-error.ts";
import type { EmbeddedServer } from "../embedded/connect-or-serve.ts";
import type { SqlParameter } from "../stored-values.ts";
import { type LossStage, runTransaction, type Transaction } from "./transaction.ts";
import { defaultSize } from "./connection-pool.ts";

export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  /** The embedded server, if the caller has already started it. */
  readonly engine?: Promise<EmbeddedServer>;
  readonly log?: Log;
}

export interface Database {
  /**
   * Runs `work` as this user, in the runtime's role; commits when it resolves, rolls back when it throws. Also for work that
   * only reads. If the connection is lost before the commit was sent, nothing was stored, and `work` is retried on another
   * connection. So `work` must have no side effects outside its transaction.
   */
  transaction<Result>(userId: string, work: Work<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Runs `work` as the connecting role, for backup, restore and other work of an owner. The role must own the tables, and then
   * sees every user's rows. For any other role the statements fail instead of skipping the rows that policies hide. The work is
   * not retried after it has begun, because a backup writes to a file.
   */
  ownerTransaction<Result>(work: Work<Result>): Promise<Result>;
  connections(): ConnectionCounts;
  /** Null for a database that cannot send notifications: the embedded engine, or one behind a caller's pool. */
  readonly calls: CallListener | null;
  close(): Promise<void>;
}

export type Work<Result> = (tx: Transaction) => Promise<Result>;

export interface TransactionOptions {
  /**
   * Whether the work may be retried after it was committed, because it only reads or detects its own earlier write. Such work
   * is also retried if its commit was not answered.
   */
  readonly isRepeatable?: boolean;
  /** The queue in which the transaction waits for a connection; default: the user's. */
  readonly queue?: string;
  /** Settings of this transaction, by name. */
  readonly settings?: DatabaseClient["settings"];
}

/**
 * Settings for statements that find few rows by an index, however much is stored. One plan serves all parameters, because
 * planning takes longer than execution. Without sorting, the planner reads the first rows in the order of their index.
 * Otherwise it might read and sort all rows of a user: it expects a single row if the statistics lack the user.
 */
const plannedOnce = { plan_cache_mode: "force_generic_plan", enable_sort: "off" } as const;

/** The dependencies of the stores of one user, such as the store of conversations. */
export interface UserContext extends Pick<Database, "calls"> {
  readonly userId: string;
  /** Runs a transaction as this user, and retries it if the database cannot have committed it. */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs a transaction that may be retried after it was committed, because it only reads or detects its own earlier
   * write. It does not fail if the connection is lost during the commit.
   */
  repeatable<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs one statement in a transaction like that of `repeatable`, in one round trip. The statement is planned once per
   * connection, so it has to find its rows by an index (`plannedOnce`).
   */
  statement<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
}

export function createUserContext(database: Database, userId: string): UserContext {
  return {
    userId,
    calls: database.calls,
    transaction: (work) => database.transaction(userId, work),
    repeatable: (work) => database.transaction(userId, work, { isRepeatable: true }),
    statement: (statement, parameters) =>
      database.transaction(userId, (tx) => tx.runLast(statement, parameters), {
        isRepeatable: true,
        settings: plannedOnce,
      }),
  };
}

interface Attempt<Result> {
  readonly queue: string;
  readonly settingOf: (client: DatabaseClient) => string;
  readonly work: Work<Result>;
  readonly repetition: Repetition;
}

/** The queue of owner transactions; no user has this name. */
const ownersQueue = "";

/**
 * Opens the database. The embedded engine is started if no server serves its folder; a server is connected to on first
 * use.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  // Only for the embedded engine: on Node 20 and 22, AsyncLocalStorage takes up to a tenth of a server's CPU time.
  const inTransaction = options.connection.kind === "embedded" ? new AsyncLocalStorage<true>() : null;
  const client = await openLiveClient(options);

  async function runOnce<Result>(
    { settingOf, queue, work }: Attempt<Result>,
    current: Promise<DatabaseClient>,
    onLost: (stage: LossStage) => void,
  ): Promise<Result> {
    const endWatch = client.watch(current);
    try {
      const opened = await current;
      return await runTransaction(opened.connections, { setting: settingOf(opened), queue, work, onLost });
    } finally {
      endWatch();
    }
  }

  async function run<Result>(attempt: Attempt<Result>): Promise<Result> {
    let reruns: Reruns | null = null;
    for (;;) {
      if (client.isClosed) throw new StoreError("store_closed", "The store is closed: open it again.");
      const { current } = client;
      const reached: { stage: LossStage | "connecting" } = { stage: "connecting" };
      try {
        return await runOnce(attempt, current, (stage) => (reached.stage = stage));
      } catch (error) {
        if (reached.stage === "connecting") await client.replaceIfGone(current, error);
        reruns ??= createReruns(options.connection, attempt.repetition);
        if (reruns.isNext(reached.stage, error)) continue;
        throw reached.stage === "committing"
          ? unknownCommitError(error)
          : storeErrorOf(error, await endpointOf(current));
      }
    }
  }

  function guarded<Result>(attempt: Attempt<Result>): Promise<Result> {
    if (inTransaction === null) return run(attempt);
    if (inTransaction.getStore()) {
      // The engine has one backend, so this transaction would deadlock with the outer one.
      throw new StoreError("store_failed", "A transaction was opened inside a transaction: use the outer one.");
    }
    return inTransaction.run(true, () => run(attempt));
  }

  const ownerTransaction: Database["ownerTransaction"] = async (work) =>
    guarded({ settingOf: () => "set local row_security = off", queue: ownersQueue, work, repetition: "unbegun" });
  const calls = callsOf(options.connection, ownerTransaction);

  return {
    calls,
    transaction: async (userId, work, given) => guarded({ ...attemptOf(userId, given), work }),
    ownerTransaction,
    connections: () => client.counts(),
    async close() {
      await calls?.close();
      await client.close();
      // Without this call, Node 20 and 22 propagate the AsyncLocalStorage with every promise of the process, forever.
      inTransaction?.disable();
    },
  };
}

function attemptOf(
  userId: string,
  { isRepeatable = false, queue = userId, settings: more = {} }: TransactionOptions = {},
): Omit<Attempt<never>, "work"> {
  return {
    queue,
    settingOf: ({ settings }) => userSetting(userId, { ...settings, ...more }),
    repetition: isRepeatable ? "any" : "uncommitted",
  };
}

function callsOf(connection: DatabaseConnection, transaction: Database["ownerTransaction"]): CallListener | null {
  if (connection.kind !== "server") return null;
  return createCallListener({
    connect: () => openListeningClient(connection.url),
    notify: (...call) => transaction(async (tx) => void (await tx.run("select pg_notify($1, $2)", call))),
  });
}

/**
 * Returns the SQL that sets a transaction's role, user and settings. The driver sends SQL without parameters immediately; the
 * user is in hexadecimal digits, which need no quoting.
 */
function userSetting(userId: string, settings: DatabaseClient["settings"]): string {
  const digits = Buffer.from(userId, "utf8").toString("hex");
  const more = Object.entries(settings).map(([name, value]) => `, set_config('${name}', '${value}', true)`);
  return (
    "select set_config('role', 'palimpsest_runtime', true), " +
    `set_config('palimpsest.user_id', convert_from(decode('${digits}', 'hex'), 'UTF8'), true)${more.join("")}`
  );
}

async function endpointOf(current: Promise<DatabaseClient>): Promise<string> {
  return current.then(
    ({ endpoint }) => endpoint,
    () => "the embedded database",
  );
}

/** What may be retried: only transactions that have not begun, those that were not committed, or any. */
type Repetition = "unbegun" | "uncommitted" | "any";

interface Reruns {
  /**
   * Returns whether to retry; call it once per failure. The stage `connecting` means that the transaction got no connection,
   * or failed for a reason other than a lost connection.
   */
  isNext(stage: LossStage | "connecting", error: unknown): boolean;
}

/** Maximum retries after deadlocks. PostgreSQL rolls a transaction back to end a deadlock, so it can be retried. */
const maxDeadlocks = 3;

/** Creates the counters that decide whether one transaction is retried. */
function createReruns(connection: DatabaseConnection, repetition: Repetition): Reruns {
  const limits = { kind: connection.kind, maxBroken: sizeOf(connection) + 1 };
  const counts = new Map<LossStage | "connecting", number>();
  let deadlocks = 0;
  return {
    isNext(stage, error) {
      if (isDeadlock(error)) {
        deadlocks += 1;
        return repetition !== "unbegun" && deadlocks <= maxDeadlocks;
      }
      if (!isConnectionLost(error)) return false;
      const count = counts.get(stage) ?? 0;
      counts.set(stage, count + 1);
      return count < (stage === "connecting" ? maxConnects(limits, error) : maxReruns(stage, repetition, limits));
    },
  };
}

interface RerunLimits {
  readonly kind: DatabaseConnection["kind"];
  /** Maximum retries after broken connections: after a restart of the server, every connection of the pool fails once. */
  readonly maxBroken: number;
}

function sizeOf(connection: DatabaseConnection): number {
  if (connection.kind === "server") return connection.maxConnections ?? defaultSize;
  return connection.kind === "pool" ? (connection.pool.options?.max ?? defaultSize) : defaultSize;
}

function maxConnects({ kind, maxBroken }: RerunLimits, error: unknown): number {
  if (isConnectionBroken(error)) return maxBroken;
  // One retry: it starts a new embedded server, or reaches a server that seemed late because this process was suspended.
  return kind === "embedded" || isConnectionLate(error) ? 1 : 0;
}

function maxReruns(stage: LossStage, repetition: Repetition, { maxBroken }: RerunLimits): number {
  switch (stage) {
    case "beginning":
      return maxBroken;
    case "between":
      return repetition === "unbegun" ? 0 : maxBroken;
    case "asking":
      // The statement itself may be crashing the server: retry only once.
      return repetition === "unbegun" ? 0 : 1;
    case "committing":
      return repetition === "any" ? 1 : 0;
  }
}

/** The client of the database, replaced when its embedded server is gone or suspended. */
interface LiveClient {
  readonly isClosed: boolean;
  /** The client in use. Rejected if the last attempt to open a client failed; the next transaction tries again. */
  readonly current: Promise<DatabaseClient>;
  /** Returns the connections of the last client that was opened. */
  counts(): ConnectionCounts;
  /**
   * Replaces this client if it never opened, or if `error` shows that no server is listening. Does nothing if the
   * client was replaced already.
   */
  replaceIfGone(current: Promise<DatabaseClient>, error: unknown): Promise<void>;
  /**
   * Watches the server during a transaction. If the server is suspended, closes the connections to it: transactions that wait
   * for an answer then fail, and the next connect reports what to do. Returns a function that ends the watch.
   */
  watch(watched: Promise<DatabaseClient>): () => void;
  close(): Promise<void>;
}

/** Milliseconds between two checks, during a transaction, whether its server is suspended. */
const stallMs = 1000;

/** Opens the first client. Rejects if that fails. */
async function openLiveClient({ connection, engine, log }: DatabaseOptions): Promise<LiveClient> {
  let last: DatabaseClient;
  const open = async (started?: Promise<EmbeddedServer>): Promise<DatabaseClient> =>
    (last = await openClient(connection, { engine: started, log }));
  let client = open(engine);
  let isClosed = false;
  await client;

  const replace = (gone: Promise<DatabaseClient>): void => {
    if (client !== gone || isClosed || connection.kind !== "embedded") return;
    client = gone
      .then((old) => old.close(0))
      // A client that never opened, or that fails to close, is replaced as well.
      .catch(() => undefined)
      .then(() => open());
    // If the new client cannot be opened, the next transaction throws the error.
    client.catch(() => undefined);
  };

  return {
    get isClosed() {
      return isClosed;
    },
    get current() {
      return client;
    },
    counts: () => last.connections.counts(),
    async replaceIfGone(current, error) {
      const isOpen = await current.then(
        () => true,
        () => false,
      );
      // A late answer is no reason to replace the client: that would fail the transactions in progress.
      if (!isOpen || (isConnectionLost(error) && !isConnectionLate(error))) replace(current);
    },
    watch(watched) {
      const look = async (): Promise<void> => {
        const opened = await watched.catch(() => null);
        if (opened?.isServerStopped()) replace(watched);
      };
      const timer = setInterval(() => void look(), stallMs);
      return () => clearInterval(timer);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const opened = await client.catch(() => null);
      await opened?.close();
    },
  };
}
