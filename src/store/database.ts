// The one way to run a query: in a transaction that has the runtime's role and its user set before the first statement.
// Invariant: nothing is repeated once a transaction has begun; a lost connection fails that transaction, and the next goes on.
import { AsyncLocalStorage } from "node:async_hooks";
import { StoreError } from "../errors.ts";
import type { DatabaseClient, DatabaseConnection, Log } from "./database-client.ts";
import { isConnectionLost, storeErrorOf } from "./database-error.ts";
import { openLiveClient } from "./live-client.ts";
import { runTransaction } from "./run-transaction.ts";
import type { Transaction } from "./transaction.ts";

export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  readonly log?: Log;
}

export interface Database {
  /**
   * Runs `work` as this user, in the runtime's role; commits when it resolves, rolls back when it throws. Reads too.
   * Its first statement goes out with the transaction's beginning: if the connection turns out to be dead before that is
   * answered, so before any statement of the work's is, the work is run again on another.
   */
  transaction<Result>(userId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` as the connecting role, which must be the owner of the tables and so sees every user's rows: for backup and
   * restore alone. For any other role its statements fail, rather than pass over the rows that policies hide.
   */
  ownerTransaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface Attempt<Result> {
  readonly settingOf: (client: DatabaseClient) => string;
  readonly work: (tx: Transaction) => Promise<Result>;
}

/** Opens the database. The embedded engine is started when nobody serves its folder; a server is connected to on first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const inTransaction = new AsyncLocalStorage<true>();
  const client = await openLiveClient(options);

  async function run<Result>(attempt: Attempt<Result>, retries: number): Promise<Result> {
    if (client.isClosed) throw new StoreError("store_failed", "The store is closed.");
    const { current } = client;
    let begun = false;
    let endpoint = "the embedded database";
    const endWatch = client.watch(current);
    try {
      const opened = await current;
      endpoint = opened.endpoint;
      const setting = attempt.settingOf(opened);
      const onBegun = (): void => {
        begun = true;
      };
      return await runTransaction(opened.channels, { setting, work: attempt.work, onBegun });
    } catch (error) {
      if (isConnectionLost(error) || (await isRejected(current))) client.replace(current);
      if (!begun && retries < client.retriesFor(error)) return await run(attempt, retries + 1);
      throw storeErrorOf(error, endpoint);
    } finally {
      endWatch();
    }
  }

  function guarded<Result>(attempt: Attempt<Result>): Promise<Result> {
    if (inTransaction.getStore()) {
      // On the embedded engine, which has one backend, this would wait for itself for ever.
      throw new StoreError("store_failed", "A transaction was opened inside a transaction: hand the first one on.");
    }
    return inTransaction.run(true, () => run(attempt, 0));
  }

  return {
    transaction: async (userId, work) => guarded({ settingOf: ({ settings }) => userSetting(userId, settings), work }),
    ownerTransaction: async (work) => guarded({ settingOf: () => "set local row_security = off", work }),
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

async function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  );
}
