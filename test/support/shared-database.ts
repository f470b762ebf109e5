// The database of the embedded engine that test files share, emptied when a file gives it back.
// Invariant: whoever takes it finds no row, and the schema of the migrations; a schema that cannot be put back costs the engine.
import { openDatabase } from "../../src/store/connection/database.ts";
import type { DatabaseConnection } from "../../src/store/connection/database-client.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import type { TestDatabase } from "./database.ts";
import { copyTemplate } from "./embedded-template.ts";
import type * as sharedEngine from "./shared-engine.mjs";

interface TestGlobals {
  /** Of test/support/test-file-environment.mjs; undefined in a process that is not jest's. */
  readonly sharedEngine?: typeof sharedEngine;
}

/** Everything that a test can change of a schema. Tables and indexes by their ids: one that was made again is another. */
const schemaLines = `
  select concat_ws(' ', 'class', oid, relname, relkind, relrowsecurity, relforcerowsecurity, relacl) as line
    from pg_class where relnamespace in (select oid from pg_namespace where nspname !~ '^pg_(toast|temp)')
  union all select concat_ws(' ', 'function', oid, proname, md5(prosrc), prosecdef, proacl, proconfig)
    from pg_proc where pronamespace = current_schema()::regnamespace
  union all select concat_ws(' ', 'column', attrelid, attname, atttypid, attnotnull, attisdropped, attstorage)
    from pg_attribute join pg_class on attrelid = pg_class.oid where relnamespace = current_schema()::regnamespace
  union all select concat_ws(' ', 'trigger', oid, tgname, tgenabled) from pg_trigger
  union all select concat_ws(' ', 'constraint', oid, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = current_schema()::regnamespace
  union all select concat_ws(' ', 'policy', oid, polname, polqual) from pg_policy
  union all select concat_ws(' ', 'role', rolname, rolsuper, rolbypassrls, rolcanlogin) from pg_roles
  union all select concat_ws(' ', 'setting', setdatabase, setrole, setconfig) from pg_db_role_setting
  union all select concat_ws(' ', 'schema', nspname) from pg_namespace where nspname !~ '^pg_(toast|temp)'
  union all select concat_ws(' ', 'extension', extname) from pg_extension`;

/** Undefined when another caller has it, or in a process that has no shared engine. */
export async function takeSharedDatabase(): Promise<TestDatabase | undefined> {
  const { sharedEngine: shared } = globalThis as TestGlobals;
  const engine = await shared?.takeEngine(copyTemplate);
  if (shared === undefined || engine === undefined) return undefined;
  const connection = { kind: "embedded", folder: engine.folder, host: "worker" } as const;
  try {
    engine.pristine ??= await asOwner(connection, readSchema);
  } catch (error) {
    await shared.giveUpEngine();
    throw error;
  }
  const { schema, newestId } = engine.pristine;
  return {
    connection,
    async remove() {
      const left = await asOwner(connection, async (tx) => {
        await tx.run(emptying(newestId), []);
        return readSchema(tx);
      }).catch(() => undefined);
      if (left?.schema === schema) shared.giveBackEngine();
      else await shared.giveUpEngine();
    },
  };
}

/** Drops tables and functions that were made since, those of a vector's width for instance, and all rows. */
function emptying(newestId: number): string {
  return `do $$
    declare
      made record;
      filled text[] := '{}';
      has_rows boolean;
    begin
      for made in select oid::regclass as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind = 'r' and oid > ${newestId} loop
        execute format('drop table %s cascade', made.name);
      end loop;
      for made in select oid::regprocedure as name from pg_proc
        where pronamespace = current_schema()::regnamespace and oid > ${newestId} loop
        execute format('drop function %s cascade', made.name);
      end loop;
      for made in select oid::regclass as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind = 'r' loop
        execute format('select exists (select from %s)', made.name) into has_rows;
        if has_rows then filled := filled || made.name::text; end if;
      end loop;
      if filled <> '{}' then
        execute 'truncate ' || array_to_string(filled, ', ') || ' restart identity cascade';
      end if;
    end $$`;
}

async function readSchema(tx: Transaction): Promise<{ readonly schema: string; readonly newestId: number }> {
  const [found] = await tx.run<{ readonly schema: string; readonly newest: number }>(
    `select md5(string_agg(line, ';' order by line)) as schema,
       (select greatest((select max(oid::bigint) from pg_class), (select max(oid::bigint) from pg_proc)))::int as newest
     from (${schemaLines}) lines`,
    [],
  );
  return { schema: found!.schema, newestId: found!.newest };
}

async function asOwner<Result>(
  connection: DatabaseConnection,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({ connection });
  try {
    return await database.ownerTransaction(work);
  } finally {
    await database.close();
  }
}
