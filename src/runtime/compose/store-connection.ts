// Returns the location of the configured store.
// Invariant: this code is not in `compose.ts`, because the declarations of that file must not mention types of `pg`.
import type { Config } from "../../config/settings.ts";
import { ConfigError } from "../../base/errors.ts";
import type { PgPool } from "../../store/port/pg-pool.ts";
import type { StoreOptions } from "../../store/open-store.ts";

type StoreLocation = Pick<
  Config,
  | "databaseUrl"
  | "engineHost"
  | "maxConnections"
  | "idleConnectionSeconds"
  | "maxStatementSeconds"
  | "preparedStatements"
> &
  Partial<Pick<Config, "dataDir">>;

/** Returns the server or the folder of the store. Throws ConfigError if neither is given, or both a URL and a pool. */
export function connectionOf(location: StoreLocation, pool?: PgPool): StoreOptions["connection"] {
  const { databaseUrl, dataDir, engineHost, maxConnections, idleConnectionSeconds, maxStatementSeconds } = location;
  const served = {
    hasPreparedStatements: location.preparedStatements === "on",
    ...(maxStatementSeconds === null ? {} : { statementMs: maxStatementSeconds * 1000 }),
  };
  if (pool !== undefined) return { ...poolConnection(pool, databaseUrl), ...served };
  if (databaseUrl !== null)
    return {
      kind: "server",
      url: databaseUrl,
      maxConnections,
      idleMs: idleConnectionSeconds * 1000,
      ...served,
    };
  if (dataDir !== undefined) return { kind: "embedded", folder: dataDir, host: engineHost };
  throw new ConfigError(
    "Expected `dataDir` (a folder for the embedded store), `databaseUrl` or `pool`, got none of them.",
    { field: "dataDir" },
  );
}

function poolConnection(pool: PgPool, databaseUrl: string | null): StoreOptions["connection"] {
  if (databaseUrl !== null) throw new ConfigError("Expected either `databaseUrl` or `pool`, got both.");
  return { kind: "pool", pool };
}
