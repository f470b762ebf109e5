// The data folder that ships with the package is what the migrations make: nothing more, nothing less.
import { appendFileSync, cpSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import type postgres from "postgres";
import { packageRoot } from "../../src/base/package-root.ts";
import { preparedStamp } from "../../src/store/embedded/prepared-folder.ts";
import { beginTurn } from "../../src/store/sql/begin-turn.ts";
import { newFolder, openPool, removeFolders } from "../support/embedded-folder.ts";

afterAll(() => removeFolders());

/** All that a migration can make, as rows of text in a fixed order. */
const catalogue = `
select 'column' as kind, concat_ws(' ', table_schema, table_name, column_name, data_type, udt_name, is_nullable, column_default, generation_expression) as what
  from information_schema.columns where table_schema in ('public', 'drizzle')
union all select 'constraint', concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
  where connamespace::regnamespace::text in ('public', 'drizzle')
union all select 'index', indexdef from pg_indexes where schemaname in ('public', 'drizzle')
union all select 'storage', concat_ws(' ', attrelid::regclass, attname, attstorage) from pg_attribute
  where attnum > 0 and attrelid::regclass::text like 'passages%'
union all select 'relation', concat_ws(' ', relname, relkind, relacl, relrowsecurity) from pg_class where relnamespace = 'public'::regnamespace
union all select 'function', concat_ws(' ', p.oid::regprocedure, md5(prosrc)) from pg_proc p
  where pronamespace = 'public'::regnamespace and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
union all select 'role', concat_ws(' ', rolname, rolcanlogin, rolsuper, rolbypassrls) from pg_roles where rolname like 'palimpsest%'
union all select 'extension', concat_ws(' ', extname, extversion) from pg_extension
union all select 'migration', created_at::text from drizzle.__drizzle_migrations
order by 1, 2`;

const rowsOf = async (sql: postgres.Sql): Promise<readonly string[]> =>
  (await sql.unsafe<{ kind: string; what: string }[]>(catalogue)).map(({ kind, what }) => `${kind}: ${what}`);

test("the prepared data folder equals the migrations", async () => {
  const prepared = path.join(packageRoot(), "dist", "prepared");
  expect(existsSync(prepared)).toBe(true);
  const migrationsFolder = path.join(newFolder(), "drizzle");
  cpSync(path.join(packageRoot(), "drizzle"), migrationsFolder, { recursive: true });
  // Another text of the same meaning: no prepared folder fits it, so that the database is made by the migrations alone.
  appendFileSync(path.join(migrationsFolder, "0000_baseline.sql"), "\n");
  const lines: string[] = [];
  const fromPrepared = await openPool({ folder: newFolder(), log: (line) => lines.push(line) });
  const fromMigrations = await openPool({ folder: newFolder(), migrationsFolder });
  const rows = await rowsOf(fromPrepared.sql);
  expect(rows.length).toBeGreaterThan(100);
  expect(rows).toEqual(await rowsOf(fromMigrations.sql));
});

test("in a new database, a turn begins by indexes: its plan is kept while the tables grow", async () => {
  const { sql } = await openPool({ folder: newFolder() });
  const rows = await sql.unsafe<{ "QUERY PLAN": string }[]>(`explain (generic_plan) ${beginTurn}`).simple();
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/Index.* Scan.* on inputs/u);
  // A hash join would read all inputs of a conversation, to find one that is repeated.
  expect(plan).not.toMatch(/Hash (?:\w+ )*Join/u);
  expect(plan.match(/Seq Scan on (?:messages|inputs|turns|conversations)/gu) ?? []).toEqual([]);
});

test("the prepared data folder fits an installed package, which has no snapshots of the tables", () => {
  const migrations = path.join(packageRoot(), "drizzle");
  const installed = path.join(newFolder(), "drizzle");
  cpSync(migrations, installed, { recursive: true });
  rmSync(path.join(installed, "meta", "0000_snapshot.json"));
  expect(preparedStamp(installed)).toBe(preparedStamp(migrations));
});
