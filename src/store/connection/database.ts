// The one way to run a query: in a transaction that has the runtime's role and its user set before the first statement.
// Invariant: work is run again only where the database cannot have committed it, or where the caller says that running it
// twice does no harm; a lost connection fails no other transaction.
import { AsyncLocalStorage } from "node:async_hooks";
import { StoreError } from "../../errors.ts";
import type { DatabaseClient, DatabaseConnection, Log } from "./database-client.ts";
import { storeErrorOf, unknownCommitError } from "./database-error.ts";
import { openLiveClient } from "./live-client.ts";
import { createReruns, type Repetition, type Reruns } from "./reruns.ts";
import { type LossStage, runTransaction, type Transaction } from "./transaction.ts";

export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  readonly log?: Log;
}

export interface Database {
  /**
   * Runs `work` as this user, in the runtime's role; commits when it resolves, rolls back when it throws. Reads too.
   * Where its connection is lost before its commit was sent, nothing of it is there: then it is run again on another
   * connection. So `work` touches nothing outside of its transaction.
   */
  transaction<Result>(userId: string, work: Work<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Runs `work` as the connecting role, which must be the owner of the tables and so sees every user's rows: for backup and
   * restore alone. For any other role its statements fail, rather than pass over the rows that policies hide. It is not run
   * again once it has begun: a backup writes to a file meanwhile.
   */
  ownerTransaction<Result>(work: Work<Result>): Promise<Result>;
  close(): Promise<void>;
}

export type Work<Result> = (tx: Transaction) => Promise<Result>;

export interface TransactionOptions {
  /**
   * Whether the work may be run again after it was committed: it only reads, or it finds what it wrote and writes nothing.
   * Then it is run again also where its commit was not answered.
   */
  readonly isRepeatable?: boolean;
}

/** What every aggregate of one user's store is made from. */
export interface UserContext {
  readonly userId: string;
  /** A transaction as this user. Its work is run again where the database cannot have committed it. */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * One whose work may be run again after it was committed, because it only reads, or finds what it wrote and writes nothing:
   * a connection that is lost during its commit does not fail it either.
   */
  repeatable<Result>(work: Work<Result>): Promise<Result>;
}

export function createUserContext(database: Database, userId: string): UserContext {
  return {
    userId,
    transaction: (work) => database.transaction(userId, work),
    repeatable: (work) => database.transaction(userId, work, { isRepeatable: true }),
  };
}

interface Attempt<Result> {
  readonly settingOf: (client: DatabaseClient) => string;
  readonly work: Work<Result>;
  readonly repetition: Repetition;
}

/** Opens the database. The embedded engine is started when nobody serves its folder; a server is connected to on first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const inTransaction = new AsyncLocalStorage<true>();
  const client = await openLiveClient(options);

  async function runOnce<Result>(
    { settingOf, work }: Attempt<Result>,
    current: Promise<DatabaseClient>,
    onLost: (stage: LossStage) => void,
  ): Promise<Result> {
    const endWatch = client.watch(current);
    try {
      const opened = await current;
      return await runTransaction(opened.connections, { setting: settingOf(opened), work, onLost });
    } finally {
      endWatch();
    }
  }

  async function run<Result>(attempt: Attempt<Result>): Promise<Result> {
    let reruns: Reruns | null = null;
    for (;;) {
      if (client.isClosed) throw new StoreError("store_failed", "The store is closed.");
      const { current } = client;
      const reached: { stage: LossStage | "connecting" } = { stage: "connecting" };
      try {
        return await runOnce(attempt, current, (stage) => (reached.stage = stage));
      } catch (error) {
        if (reached.stage === "connecting") await client.replaceIfGone(current, error);
        reruns ??= createReruns(options.connection.kind, attempt.repetition);
        if (reruns.isNext(reached.stage, error)) continue;
        throw reached.stage === "committing"
          ? unknownCommitError(error)
          : storeErrorOf(error, await endpointOf(current));
      }
    }
  }

  function guarded<Result>(attempt: Attempt<Result>): Promise<Result> {
    if (inTransaction.getStore()) {
      // On the embedded engine, which has one backend, this would wait for itself for ever.
      throw new StoreError("store_failed", "A transaction was opened inside a transaction: hand the first one on.");
    }
    return inTransaction.run(true, () => run(attempt));
  }

  return {
    transaction: async (userId, work, { isRepeatable = false } = {}) =>
      guarded({
        settingOf: ({ settings }) => userSetting(userId, settings),
        work,
        repetition: isRepeatable ? "any" : "uncommitted",
      }),
    ownerTransaction: async (work) =>
      guarded({ settingOf: () => "set local row_security = off", work, repetition: "unbegun" }),
    async close() {
      await client.close();
      // Node 20 and 22 carry every storage that is not disabled along with every promise of the process, for ever.
      inTransaction.disable();
    },
  };
}

/** Without a parameter, the driver sends it at once; the name goes as hexadecimal digits, so it can hold anything. */
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
