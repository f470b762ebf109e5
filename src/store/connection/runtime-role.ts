// Checks whether the role of every transaction can be set and is bound by the policies. Lists the statements for an
// administrator if the connecting role may not create or grant that role.
// Invariant: a store on a server is opened only if no query of the runtime can bypass the policies.
import { StoreError } from "../../base/errors.ts";
import type { Database } from "./database.ts";
import { sqlStateOf } from "./database-error.ts";
import { storedTables, vectorTableNames } from "../backup/stored-tables.ts";

const runtimeRole = "palimpsest_runtime";

/** The user id for transactions that read no user's rows. */
export const nobody = "nobody";

const unbound = `
select name from (
  select name from jsonb_array_elements_text($1::text::jsonb) t (name)
  union all
  select name from (${vectorTableNames}) v
) tables
where not row_security_active(quote_ident(name))`;

/** Returns one row: the connecting role, quoted, and whether it may set the runtime's role. */
const roleState = `
select quote_ident(session_user) as role,
  exists (select from pg_roles r where r.rolname = '${runtimeRole}' and pg_has_role(session_user, r.oid, 'member')) as may`;

type RunStatement = (statement: string) => PromiseLike<readonly unknown[]>;

/**
 * Checks that no query of the runtime bypasses the policies. Throws StoreError if the connecting role may not set the runtime's
 * role, or if that role bypasses the policies.
 */
export async function requireIsolation(database: Database): Promise<void> {
  const names = storedTables.map(({ name }) => name);
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
    `The role ${runtimeRole} bypasses row-level security on this server, so users would see each other's rows. ` +
      `Have an administrator run ALTER ROLE ${runtimeRole} NOSUPERUSER NOBYPASSRLS; and check that the role owns none of the tables.`,
  );
}

/**
 * Returns the error for a server on which the connecting role may not create or set the runtime's role, with the
 * statements to run. Null if `error` has another cause.
 */
export async function roleRefusal(error: unknown, run: RunStatement): Promise<StoreError | null> {
  // 42501: no permission to create, grant or set the role; 22023: the role does not exist.
  const state = sqlStateOf(error) ?? "";
  if (state !== "42501" && state !== "22023") return null;
  const [found] = (await run(roleState)) as readonly { readonly role: string; readonly may: boolean }[];
  if (found === undefined || found.may) return null;
  return new StoreError(
    "store_failed",
    `The role ${found.role} may not create or set the role ${runtimeRole}, under which every query runs. Have an ` +
      "administrator of the server run these two statements (only the second if the role exists), then try again: " +
      `CREATE ROLE ${runtimeRole} NOLOGIN; GRANT ${runtimeRole} TO ${found.role};`,
    { cause: { code: state } },
  );
}
