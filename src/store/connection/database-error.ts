// Translates database failures to the project's errors.
// Invariant: no message and no cause contains a parameter, a row's text, a password or the SQL of a statement.
import { type ErrorCode, RequestError, RuntimeError, StoreError } from "../../base/errors.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

const lostCodes = new Set([
  // A server ended the connection, because the client's process was suspended inside a transaction.
  "25P03",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
]);

const brokenCodes = new Set(["CONNECTION_CLOSED", "ECONNRESET", "EPIPE", "57P01", "57P02"]);

/** Codes of a connection that the database closed before it read the last statement. */
const cutCodes = new Set(["25P03", "EPIPE"]);

const refusals: Readonly<Record<string, string>> = {
  CONNECT_TIMEOUT: "no answer in time",
  ECONNREFUSED: "connection refused",
  ENOENT: "no server is listening",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "unknown host",
  "28P01": "the password was refused",
  "28000": "the role was refused",
  "3D000": "there is no such database",
  "53300": "too many connections",
  "57P03": "the server is starting or stopping",
};

const foreignKeyViolation = "23503";
const diskFull = "53100";
const cancelled = "57014";

const statesOfRefusal = new Set(["28P01", "28000", "3D000", "53300"]);

/**
 * Returns the driver's own error, which is the innermost cause: the message of drizzle's wrapper lists the parameters.
 * `instanceof` is not used, because it fails for a class of another JavaScript realm.
 */
function driverErrorOf(error: unknown): Readonly<Record<string, unknown>> {
  if (typeof error !== "object" || error === null) return {};
  const { cause } = error as { readonly cause?: unknown };
  return typeof cause === "object" && cause !== null ? driverErrorOf(cause) : { ...error };
}

/** Returns the SQLSTATE or system code of a failure, even if it was translated. */
export function sqlStateOf(error: unknown): string | null {
  const { code } = driverErrorOf(error);
  return typeof code === "string" ? code : null;
}

/** Returns whether the database rolled a transaction back to end a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return sqlStateOf(error) === "40P01";
}

/** Returns a handler for `catch` that throws this RequestError for a duplicate key, and any other error again. */
export function duplicateRefusal(code: ErrorCode, message: string): (error: unknown) => never {
  return (error) => {
    throw sqlStateOf(error) === "23505" ? new RequestError(code, message, { cause: error }) : error;
  };
}

/** Returns whether a statement failed because `refuse_unless` or `guard_module` in the database refused a part of its write. */
export function isRefusedWrite(error: unknown): boolean {
  return sqlStateOf(error) === "PM001";
}

/** Returns whether the connection is lost and cannot be used again. */
export function isConnectionLost(error: unknown): boolean {
  // An error of this project means a lost connection only if its cause is the driver's error for a closed connection.
  if (error instanceof RuntimeError) return sqlStateOf(error) === "CONNECTION_CLOSED";
  return lostCodes.has(sqlStateOf(error) ?? "");
}

/** Returns whether an open connection broke: other connections of the pool may be broken too, but a new one may succeed. */
export function isConnectionBroken(error: unknown): boolean {
  return isConnectionLost(error) && brokenCodes.has(sqlStateOf(error) ?? "");
}

/** Returns whether a failed statement certainly did not reach the database. */
export function isConnectionCut(error: unknown): boolean {
  return cutCodes.has(sqlStateOf(error) ?? "");
}

/** Returns whether a server did not answer in time: it may be busy, or this process was suspended while it waited. */
export function isConnectionLate(error: unknown): boolean {
  return sqlStateOf(error) === "CONNECT_TIMEOUT";
}

/** Returns a database failure as a StoreError, and any other error unchanged. `endpoint`: the database, without secrets. */
export function storeErrorOf(error: unknown, endpoint: string): unknown {
  if (error instanceof RuntimeError) return error;
  const facts = driverErrorOf(error);
  const code = sqlStateOf(error);
  const cause = scrubbed(facts);
  if (code !== null && (lostCodes.has(code) || statesOfRefusal.has(code))) {
    return new StoreError("store_unreachable", unreachable(endpoint, refusals[code] ?? "the connection was lost"), {
      cause,
    });
  }
  // An error without a database code is a bug in this project, and keeps its stack.
  if (code === null) return error;
  if (code === diskFull) return fullDiskError(`the disk of ${endpoint}`, cause);
  if (code === cancelled) return new StoreError("store_timeout", timedOut(cause), { cause });
  if (pooledCodes.has(code)) return pooledError(cause);
  return new StoreError(
    "store_failed",
    code === foreignKeyViolation ? orphaned(cause) : `PostgreSQL refused a statement: ${summaryOf(cause)}.`,
    { cause },
  );
}

/** SQLSTATEs for a prepared statement that is missing, and for one that already exists. */
const pooledCodes: ReadonlySet<string> = new Set(["26000", "42P05"]);

/** Returns the error for missing prepared statements: a pooler gave each transaction another connection of the server. */
function pooledError(cause: ScrubbedCause): StoreError {
  return new StoreError(
    "store_failed",
    `PostgreSQL does not keep this connection's prepared statements (SQLSTATE ${cause.code}): a transaction pooler is between Palimpsest and PostgreSQL. ` +
      'Set `preparedStatements` to "off", or use PgBouncer 1.21 or later with max_prepared_statements.',
    { cause },
  );
}

function timedOut({ code }: ScrubbedCause): string {
  return (
    `PostgreSQL cancelled a statement (SQLSTATE ${code}): it took longer than \`maxStatementSeconds\`, or an administrator ended it. ` +
    "Its transaction stored nothing. Request less data at once, or raise the setting."
  );
}

/** Returns the message for a write that refers to a row that another process has deleted since the row was read. */
function orphaned(cause: ScrubbedCause): string {
  return `A record that this write refers to was deleted concurrently (${summaryOf(cause)}). Nothing was written. Check what exists and try again.`;
}

function unreachable(endpoint: string, reason: string): string {
  return `Cannot reach ${endpoint} (${reason}). Check \`databaseUrl\` or start the server.`;
}

interface ScrubbedCause {
  readonly code: string;
  readonly routine?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

function scrubbed(facts: Readonly<Record<string, unknown>>): ScrubbedCause {
  const text = (key: string): string | undefined => (typeof facts[key] === "string" ? facts[key] : undefined);
  const entries = {
    code: text("code") ?? "unknown",
    routine: text("routine"),
    table: text("table_name"),
    column: text("column_name"),
    constraint: text("constraint_name"),
  };
  return Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined),
  ) as unknown as ScrubbedCause;
}

function summaryOf(cause: ScrubbedCause): string {
  const { code, ...rest } = cause;
  const named = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [`SQLSTATE ${code}`, ...named].join(", ");
}

/** Returns whether the operating system refused a write because the disk, or the user's disk quota, is full. */
export function isFullDisk(cause: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(systemErrorCode(cause) ?? "");
}

/** Returns the error for a full disk. `disk`: a description of the disk, for the message. */
export function fullDiskError(disk: string, cause: unknown): StoreError {
  return new StoreError(
    "store_full",
    `No space is left on ${disk}. Free at least 100 MB there and try again. The current write is not stored; ` +
      "all earlier writes are.",
    { cause },
  );
}

/** Returns the error for a commit that the database answered with a rollback. */
export function rolledBackError(): StoreError {
  return new StoreError("store_failed", "PostgreSQL rolled the transaction back instead of committing it. Try again.");
}

/** Returns the error for a commit that was sent and never answered. */
export function unknownCommitError(cause: unknown): StoreError {
  return new StoreError(
    "store_unreachable",
    "The connection to the database was lost during a commit, so the change may have been stored or not. " +
      "Check whether it was stored before you try again.",
    { cause },
  );
}
