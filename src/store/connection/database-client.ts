// Opens the database, a server or the embedded engine, with a pool of connections.
// Invariant: callers see only the `endpoint`, a description without secrets, not the URL or the socket.
import postgres from "postgres";
import { ConfigError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { PgPool } from "../port/pg-pool.ts";
import { type ConnectionPool, createConnectionPool, defaultSize, openConnection } from "./connection-pool.ts";
import { connectOrServe, type EmbeddedServer } from "../embedded/connect-or-serve.ts";

/** How to reach the database. */
export type DatabaseConnection = (
  | {
      readonly kind: "server";
      readonly url: string;
      /** Maximum connections. Default 10. */
      readonly maxConnections?: number;
      /** Milliseconds after which an idle connection is closed. Default: never. */
      readonly idleMs?: number;
    }
  /** A server, through the caller's pool, which the caller closes. */
  | { readonly kind: "pool"; readonly pool: PgPool }
  | {
      readonly kind: "embedded";
      readonly folder: string;
      readonly host: "process" | "worker";
      readonly isInMemory?: true;
    }
) & {
  /** Whether to use prepared statements; false behind a transaction pooler that does not support them. Default true. */
  readonly hasPreparedStatements?: boolean;
  /** Milliseconds that a client may be silent inside a transaction before the database disconnects it. Default 2,500. */
  readonly stallMs?: number;
  /** Milliseconds after which a server cancels a statement of a user. Default: never. The embedded engine has no such limit. */
  readonly statementMs?: number;
};

export interface DatabaseClient {
  readonly connections: ConnectionPool;
  /** Settings of a user's transaction besides its role and user, by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly endpoint: string;
  /** Returns whether the server's process is suspended: then it answers no statement until it is continued. */
  isServerStopped(): boolean;
  /** Closes all connections. Statements in progress have `graceSeconds` to end; 0 is for a server that is gone. */
  close(graceSeconds?: number): Promise<void>;
}

const connectSeconds = 10;
/** Maximum seconds to connect to the engine: its single backend accepts a client only after the running statement. */
const embeddedConnectSeconds = 60;
const closeSeconds = 5;

// Milliseconds that a client may be silent inside a transaction. Only a suspended client is silent for so long.
const defaultStallMs = 2500;

const shared = {
  onnotice: () => undefined,
  // Arrays are sent as JSON, so the driver need not query the array types on every connect.
  fetch_types: false,
  // A connection is kept until it is lost. The driver's timer would close it at the end of a transaction.
  max_lifetime: null,
} as const;

const ofServer = { ...shared, connect_timeout: connectSeconds, connection: { application_name: "palimpsest" } };

export interface ClientOptions {
  /** The embedded server, if the caller has already started it. */
  readonly engine?: Promise<EmbeddedServer> | undefined;
  readonly log?: Log | undefined;
}

/**
 * Opens a client. A client for a server connects on first use; a client for the embedded engine finds or starts its server.
 * Throws ConfigError for a URL that is not a PostgreSQL URL.
 */
export async function openClient(connection: DatabaseConnection, given: ClientOptions = {}): Promise<DatabaseClient> {
  const { stallMs = defaultStallMs, statementMs } = connection;
  const times = { stallMs, statementMs };
  if (connection.kind === "server") return openServer(connection, times);
  if (connection.kind === "pool") {
    const { createCallersPool } = await import("./pg-connection.ts");
    const { pool, hasPreparedStatements = true } = connection;
    return serverClient(createCallersPool(pool, hasPreparedStatements), {
      endpoint: "PostgreSQL through the given pool",
      ...times,
    });
  }
  const { folder, host, isInMemory = false } = connection;
  const { log = () => undefined, engine = connectOrServe({ folder, host, stallMs, isInMemory, log }) } = given;
  const served = await engine;
  const connect = () =>
    openConnection((options) =>
      postgres({
        ...served.connection,
        ...shared,
        ...options,
        connect_timeout: embeddedConnectSeconds,
      }),
    );
  const connections = createConnectionPool(connect, { size: 4, maxOfUser: 1 });
  return {
    connections,
    // No time-outs: the server of the engine disconnects a client that blocks others, and a time-out in the single backend
    // would affect all clients.
    settings: {},
    endpoint: `the embedded database in ${folder}`,
    isServerStopped: served.isStopped,
    async close(graceSeconds = closeSeconds) {
      await connections.close(graceSeconds);
      await served.close();
    },
  };
}

type ServerConnection = Extract<DatabaseConnection, { readonly kind: "server" }>;

/** Limits of `DatabaseConnection` that a server enforces, in milliseconds. */
interface ServerTimes {
  readonly stallMs: number;
  readonly statementMs: number | undefined;
}

function openServer(server: ServerConnection, times: ServerTimes): DatabaseClient {
  const { url, maxConnections = defaultSize, idleMs, hasPreparedStatements = true } = server;
  const endpoint = `PostgreSQL at ${hostAndPort(url)}`;
  const driver = { ...ofServer, prepare: hasPreparedStatements };
  const connect = () => openConnection((options) => postgres(url, { ...driver, ...options }));
  // Leaves connections for other users when all transactions of one user are slow.
  const maxOfUser = Math.ceil(maxConnections * 0.75);
  const options = { size: maxConnections, maxOfUser, ...(idleMs === undefined ? {} : { idleMs }) };
  return serverClient(createConnectionPool(connect, options), { endpoint, ...times });
}

/** Returns a client of the driver for notifications only. It connects on first use, and reconnects. */
export function openListeningClient(url: string): postgres.Sql {
  return postgres(url, { ...ofServer, max: 1 });
}

function serverClient(
  connections: ConnectionPool,
  { endpoint, stallMs, statementMs }: ServerTimes & { readonly endpoint: string },
): DatabaseClient {
  const limit = statementMs === undefined ? {} : { statement_timeout: String(Math.round(statementMs)) };
  return {
    connections,
    // Disconnects a client that is suspended inside a transaction: it would hold its locks until it is continued.
    settings: { idle_in_transaction_session_timeout: String(stallMs), ...limit },
    endpoint,
    // The state of a remote server's process cannot be read, only whether the server answers.
    isServerStopped: () => false,
    close: (graceSeconds = closeSeconds) => connections.close(graceSeconds),
  };
}

function hostAndPort(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol)) {
    throw new ConfigError(
      "Expected `databaseUrl` to be a PostgreSQL URL: postgres://user:password@host:5432/database.",
    );
  }
  return `${parsed.hostname || "localhost"}:${parsed.port || "5432"}`;
}
