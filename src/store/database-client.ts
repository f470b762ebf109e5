// The connection to the database: a pool of the postgres.js driver, to a server or to the embedded engine.
// Invariant: callers see where it leads (`endpoint`, without secrets) and never what it leads through.
import postgres from "postgres";
import { ConfigError } from "../errors.ts";
import { connectOrServe } from "./embedded/connect-or-serve.ts";

/** Where the database is. */
export type DatabaseConnection =
  | { readonly kind: "server"; readonly url: string }
  | { readonly kind: "embedded"; readonly folder: string; readonly host: "process" | "worker" };

export type Log = (line: string) => void;

export interface DatabaseClient {
  readonly sql: postgres.Sql;
  readonly endpoint: string;
  /** Waits so many seconds at the most for what is under way; 0 for a client whose server has gone, which would wait in vain. */
  close(graceSeconds?: number): Promise<void>;
}

/** The most connections that a pool has. */
export const poolSize = 10;

const connectSeconds = 10;
const closeSeconds = 5;

const shared = {
  onnotice: () => undefined,
  connect_timeout: connectSeconds,
  // Arrays go in as JSON, so the driver need not ask for the array types on every connect.
  fetch_types: false,
} as const;

/** Connects lazily to a server; finds or starts the embedded one. Throws ConfigError for what is no PostgreSQL URL. */
export async function openClient(connection: DatabaseConnection, log?: Log): Promise<DatabaseClient> {
  if (connection.kind === "server") return openServer(connection.url);
  const { folder, host } = connection;
  const served = await connectOrServe(log === undefined ? { folder, host } : { folder, host, log });
  // One backend serves all connections there: prepared statements would pile up in it.
  const sql = postgres({ ...served.connection, ...shared, max: 4, prepare: false });
  return {
    sql,
    endpoint: "the embedded database",
    async close(graceSeconds = closeSeconds) {
      await sql.end({ timeout: graceSeconds });
      await served.close();
    },
  };
}

function openServer(url: string): DatabaseClient {
  const endpoint = `PostgreSQL at ${hostAndPort(url)}`;
  const sql = postgres(url, { ...shared, max: poolSize, connection: { application_name: "palimpsest" } });
  return { sql, endpoint, close: (graceSeconds = closeSeconds) => sql.end({ timeout: graceSeconds }) };
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
