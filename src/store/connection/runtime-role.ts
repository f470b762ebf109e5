// The role that every transaction of the runtime takes on: whether it can be taken on and is bound by the policies, and what
// an administrator has to run where this program may not make or grant it.
// Invariant: a store is opened on a server only when no query of the runtime's passes by the policies.
import { StoreError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { sqlStateOf } from "./database-error.ts";
import { storedTables, vectorTableNames } from "../backup/stored-tables.ts";

const runtimeRole = "palimpsest_runtime";

/** Any user will do: no row is read. */
const nobody = "nobody";

const unbound = `
select name from (
  select name from jsonb_array_elements_text($1::text::jsonb) t (name)
  union all
  select name from (${vectorTableNames}) v
) tables
where not row_security_active(quote_ident(name))`;

/** One row: the connecting role, quoted, and whether it may take on the runtime's. */
const standing = `
select quote_ident(session_user) as role,
  exists (select from pg_roles r where r.rolname = '${runtimeRole}' and pg_has_role(session_user, r.oid, 'member')) as may`;

interface Standing {
  readonly role: string;
  readonly may: boolean;
}

type RunStatement = (statement: string) => PromiseLike<readonly unknown[]>;

/** Throws StoreError when the connecting role may not take on the runtime's, or when policies do not hold for that one. */
export async function requireIsolation(database: Database): Promise<void> {
  const names = JSON.stringify(storedTables.map(({ name }) => name));
  let tables: readonly unknown[];
  try {
    tables = await database.transaction(nobody, (tx) => tx.run(unbound, [names]));
  } catch (error) {
    const refused = await database.ownerTransaction((tx) => roleRefusal(error, (statement) => tx.run(statement, [])));
    throw refused ?? error;
  }
  if (tables.length === 0) return;
  throw new StoreError(
    "store_failed",
    `Row-level security does not hold for the role ${runtimeRole} on this server, so users would see each other's rows. ` +
      `Have an administrator run ALTER ROLE ${runtimeRole} NOSUPERUSER NOBYPASSRLS; and see that it owns none of the tables.`,
  );
}

/**
 * The error for a server on which the connecting role may not make the runtime's role or take it on; it says what has to
 * be run. Null when `error` comes from something else.
 */
export async function roleRefusal(error: unknown, run: RunStatement): Promise<StoreError | null> {
  // 42501: it may not be made, granted or taken on; 22023: there is no such role.
  const state = sqlStateOf(error) ?? "";
  if (state !== "42501" && state !== "22023") return null;
  const [stands] = (await run(standing)) as readonly Standing[];
  if (stands === undefined || stands.may) return null;
  return new StoreError(
    "store_failed",
    `The role ${stands.role} may not make, or not take on, the role ${runtimeRole}, as which every query runs. Have an ` +
      "administrator of the server run these two statements (only the second when the role is there), then try again: " +
      `CREATE ROLE ${runtimeRole} NOLOGIN; GRANT ${runtimeRole} TO ${stands.role};`,
    { cause: { code: state } },
  );
}
