// Where the database is, and the pool of connections to it: of a server, or of the embedded engine.
// Invariant: callers see where it leads (`endpoint`, without secrets) and never what it leads through.
import postgres from "postgres";
import { ConfigError } from "../../errors.ts";
import { openConnection } from "./connection.ts";
import { type ConnectionPool, createConnectionPool } from "./connection-pool.ts";
import { connectOrServe } from "../embedded/connect-or-serve.ts";

/** Where the database is. */
export type DatabaseConnection = (
  | { readonly kind: "server"; readonly url: string }
  | { readonly kind: "embedded"; readonly folder: string; readonly host: "process" | "worker" }
) & {
  /** How long a client may be silent inside a transaction before the database ends it. Default 2,500. */
  readonly stallMs?: number;
};

export type Log = (line: string) => void;

export interface DatabaseClient {
  readonly connections: ConnectionPool;
  /** What a user's transaction sets besides its role and user: the names of settings with their values. */
  readonly settings: Readonly<Record<string, string>>;
  readonly endpoint: string;
  /** Whether nothing will be answered until somebody continues the server's process. */
  isServerStopped(): boolean;
  /** Waits so many seconds at the most for what is under way; 0 for a client whose server has gone, which would wait in vain. */
  close(graceSeconds?: number): Promise<void>;
}

/** The most connections that a pool has. */
export const poolSize = 10;

const connectSeconds = 10;
/** A long statement of the one backend holds up the greeting of a new client. */
const embeddedConnectSeconds = 60;
const closeSeconds = 5;

// Below 5 s with a connect before it. Our transactions wait for nothing but their own statements.
const defaultStallMs = 2500;

const shared = {
  onnotice: () => undefined,
  // Arrays go in as JSON, so the driver need not ask for the array types on every connect.
  fetch_types: false,
  // A connection is kept until it is lost. The driver's timer would end it as soon as a transaction is over.
  max_lifetime: null,
} as const;

/** Connects lazily to a server; finds or starts the embedded one. Throws ConfigError for what is no PostgreSQL URL. */
export async function openClient(connection: DatabaseConnection, log?: Log): Promise<DatabaseClient> {
  const { stallMs = defaultStallMs } = connection;
  if (connection.kind === "server") return openServer(connection.url, stallMs);
  const { folder, host } = connection;
  const wanted = { folder, host, stallMs };
  const served = await connectOrServe(log === undefined ? wanted : { ...wanted, log });
  // One backend serves all connections there: prepared statements would pile up in it.
  const connect = () =>
    openConnection((options) =>
      postgres({
        ...served.connection,
        ...shared,
        ...options,
        connect_timeout: embeddedConnectSeconds,
        prepare: false,
      }),
    );
  const connections = createConnectionPool(connect, 4);
  return {
    connections,
    // Its server cuts off a client that holds others up, and a time-out of the one backend would end it for all.
    settings: {},
    endpoint: `the embedded database in ${folder}`,
    isServerStopped: served.isStopped,
    async close(graceSeconds = closeSeconds) {
      await connections.close(graceSeconds);
      await served.close();
    },
  };
}

function openServer(url: string, stallMs: number): DatabaseClient {
  const endpoint = `PostgreSQL at ${hostAndPort(url)}`;
  const own = { connect_timeout: connectSeconds, connection: { application_name: "palimpsest" } };
  const connect = () => openConnection((options) => postgres(url, { ...shared, ...options, ...own }));
  const connections = createConnectionPool(connect, poolSize);
  return {
    connections,
    // A client that is stopped inside a transaction would hold its locks for as long as it stays so.
    settings: { idle_in_transaction_session_timeout: String(stallMs) },
    endpoint,
    // Of a server elsewhere nothing is known but what it answers.
    isServerStopped: () => false,
    close: (graceSeconds = closeSeconds) => connections.close(graceSeconds),
  };
}

function hostAndPort(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol)) {
    throw new ConfigError(
      "DATABASE_URL is not a PostgreSQL URL. Expected postgres://user:password@host:5432/database.",
    );
  }
  return `${parsed.hostname || "localhost"}:${parsed.port || "5432"}`;
}
