// Optimizes a database: vacuums its tables, updates the planner's statistics, and builds indexes for large vector
// tables.
// Invariant: on a server no other statement waits; an interrupted build leaves no invalid index.
import postgres from "postgres";
import { ConfigError, StoreError } from "../../base/errors.ts";
import type { OptimizedTable, OptimizeOptions, OptimizeReport } from "../port/upkeep.ts";
import type { DatabaseConnection } from "../connection/database-client.ts";
import { isConnectionLost, storeErrorOf } from "../connection/database-error.ts";
import { connectOrServe } from "../embedded/connect-or-serve.ts";
import {
  createIndex,
  minIndexedVectors,
  listVectorTables,
  nameOfIndex,
  stateOf,
  type VectorTableRow,
} from "./vector-index.ts";

export interface OptimizeTarget {
  readonly connection: DatabaseConnection;
  /** On a server: the URL of the tables' owner, if the runtime's role is a different one. */
  readonly migrationUrl?: string;
}

interface Engine {
  readonly sql: postgres.Sql;
  readonly isEmbedded: boolean;
  readonly endpoint: string;
  close(): Promise<void>;
}

// The key of the optimizations' advisory lock: arbitrary, but never changed, and different from that of the migrations.
const LOCK_KEY = "8097872805052314470";

/** Maximum MB of maintenance_work_mem for a build, or the server's own value if higher. A build that needs more is slow. */
const maxMemory = { embedded: 512, server: 1024 } as const;

/** The tables that searches read, besides the vector tables. */
const searched = ["messages", "passages"] as const;

/**
 * Optimizes the database, and returns what was done. Throws StoreError: `store_unreachable`; `store_failed` if the role does
 * not own the tables, or another optimization is running. Throws the signal's reason if it was aborted.
 */
export async function optimizeDatabase(place: OptimizeTarget, options: OptimizeOptions = {}): Promise<OptimizeReport> {
  const engine = await openEngine(place);
  try {
    await requireNoOtherRun(engine);
    return await optimize(engine, options);
  } catch (error) {
    throw storeErrorOf(error, engine.endpoint);
  } finally {
    await engine.close();
  }
}

async function openEngine({ connection, migrationUrl }: OptimizeTarget): Promise<Engine> {
  // Uses a separate connection, because neither VACUUM nor CREATE INDEX CONCURRENTLY can run in a transaction.
  const shared = {
    max: 1,
    prepare: false,
    fetch_types: false,
    onnotice: () => undefined,
    connect_timeout: 10,
  } as const;
  if (connection.kind !== "embedded") {
    const sql = postgres(serverUrl(connection, migrationUrl), {
      ...shared,
      connection: { application_name: "palimpsest" },
    });
    return { sql, isEmbedded: false, endpoint: "PostgreSQL", close: () => sql.end({ timeout: 5 }) };
  }
  const served = await connectOrServe({ folder: connection.folder, host: connection.host });
  const sql = postgres({ ...served.connection, ...shared });
  return {
    sql,
    isEmbedded: true,
    endpoint: "the embedded database",
    async close() {
      await sql.end({ timeout: 5 });
      await served.close();
    },
  };
}

function serverUrl(
  connection: Exclude<DatabaseConnection, { readonly kind: "embedded" }>,
  migrationUrl: string | undefined,
): string {
  if (migrationUrl !== undefined) return migrationUrl;
  if (connection.kind === "server") return connection.url;
  throw new ConfigError(
    "Optimizing needs a connection of its own, not the program's pool. Set `migrationUrl` to the URL of the tables' owner.",
  );
}

async function requireNoOtherRun({ sql, isEmbedded }: Engine): Promise<void> {
  const [owner] = await sql.unsafe<{ readonly owns: boolean; readonly role: string }[]>(
    "select pg_has_role(relowner, 'usage') as owns, quote_ident(current_user) as role from pg_class where oid = 'passages'::regclass",
  );
  if (owner?.owns !== true) {
    throw new StoreError(
      "store_failed",
      `The role ${owner?.role ?? "that connects"} does not own the tables. Set \`migrationUrl\` to the URL of their owner.`,
    );
  }
  // The embedded engine runs one statement at a time, and needs no lock. A session lock would exclude nobody: all
  // clients share one session.
  if (isEmbedded) return;
  const [lock] = await sql.unsafe<{ readonly taken: boolean }[]>(
    `select pg_try_advisory_lock(${LOCK_KEY}::bigint) as taken`,
  );
  if (lock?.taken === true) return;
  throw new StoreError(
    "store_failed",
    "Another process is optimizing this database. Wait until it has finished, then try again.",
  );
}

async function optimize(engine: Engine, options: OptimizeOptions): Promise<OptimizeReport> {
  const { sql } = engine;
  const { minVectors = minIndexedVectors, signal } = options;
  const started = performance.now();
  const listed = await sql.unsafe<VectorTableRow[]>(listVectorTables);
  const analyzed = [...searched, ...listed.map(({ table }) => table)];
  for (const table of analyzed) {
    signal?.throwIfAborted();
    // VACUUM also merges recent inserts into the word index, and allows index-only counts.
    await sql.unsafe(`vacuum (analyze) "${table}"`);
  }
  const analyzeSeconds = secondsSince(started);
  const tables: OptimizedTable[] = [];
  for (const row of await sql.unsafe<VectorTableRow[]>(listVectorTables)) {
    signal?.throwIfAborted();
    tables.push(await optimizeTable(engine, row, { ...options, minVectors }));
  }
  return { tables, analyzed, analyzeSeconds };
}

type Demands = OptimizeOptions & { readonly minVectors: number };

async function optimizeTable(engine: Engine, row: VectorTableRow, demands: Demands): Promise<OptimizedTable> {
  const { table, dimensions, bytes } = row;
  const index = stateOf(row);
  const facts = { table, dimensions, index, vectors: Math.max(0, row.vectors), indexBytes: bytes, buildSeconds: 0 };
  if (index === "too-wide") return { ...facts, outcome: "too-wide" };
  if (index === "ready") return { ...facts, outcome: "kept" };
  if (index === "broken") await dropIndex(engine, row.index!);
  if (row.vectors < demands.minVectors) return { ...facts, indexBytes: 0, outcome: "not-due" };
  report(engine, row, demands);
  demands.signal?.throwIfAborted();
  const started = performance.now();
  await buildIndex(engine, row, demands.signal);
  const built = (await engine.sql.unsafe<VectorTableRow[]>(listVectorTables)).find((each) => each.table === table);
  return { ...facts, outcome: "built", indexBytes: built?.bytes ?? 0, buildSeconds: secondsSince(started) };
}

function report({ isEmbedded }: Engine, { table, vectors }: VectorTableRow, { log }: Demands): void {
  const count = vectors.toLocaleString("en");
  log?.(`Building the index of ${table}: ${count} vectors.`);
  if (!isEmbedded) return;
  log?.("Every turn and search waits until the index is built, which takes about a minute for each 50,000 vectors.");
}

async function buildIndex(engine: Engine, row: VectorTableRow, signal: AbortSignal | undefined): Promise<void> {
  const { sql, isEmbedded } = engine;
  await sql.unsafe("select set_config('maintenance_work_mem', $1::int || 'MB', false)", [await memoryFor(row, engine)]);
  const building = sql.unsafe(createIndex(row, isEmbedded ? "embedded" : "server"));
  // The embedded engine cannot cancel a statement.
  const stop = (): void => (isEmbedded ? undefined : building.cancel());
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await building;
  } catch (error) {
    // Drops the invalid index that an interrupted build leaves. If this process is killed, the next run drops it.
    if (!isEmbedded && !isConnectionLost(error)) await dropIndex(engine, nameOfIndex(row));
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function dropIndex({ sql, isEmbedded }: Engine, name: string): Promise<void> {
  await sql.unsafe(`drop index ${isEmbedded ? "" : "concurrently"} if exists "${name}"`);
}

/**
 * Returns maintenance_work_mem for building an index, in MB: one and a half times the estimated size of the graph with its
 * vectors, but at least 64 and at most the limit of `maxMemory`. A million vectors of 512 dimensions would need 3,500 MB.
 */
async function memoryFor({ vectors, dimensions, kind }: VectorTableRow, { sql, isEmbedded }: Engine): Promise<number> {
  const [own] = await sql.unsafe<{ readonly megabytes: number }[]>(
    "select (reset_val::bigint / 1024)::int as megabytes from pg_settings where name = 'maintenance_work_mem'",
  );
  const bytes = vectors * (dimensions * (kind === "halfvec" ? 2 : 4) + 400) * 1.5;
  const max = isEmbedded ? maxMemory.embedded : Math.max(maxMemory.server, own!.megabytes);
  return Math.round(Math.min(max, Math.max(64, bytes / 2 ** 20)));
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
