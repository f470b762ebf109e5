// What may be asked of the database inside a transaction.
// Invariant: a Transaction is handed out by `run-transaction.ts` alone, and its role and user go out before its statements.
import { PgDialect } from "drizzle-orm/pg-core";
import { PostgresJsSession, PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";

export type SqlParameter = string | number | boolean | null;

type Tables = PostgresJsTransaction<Record<string, never>, Record<string, never>>;

export interface Transaction {
  /** Drizzle, for statements that it can say. */
  readonly tables: Tables;
  /** Runs a hand-made statement. Columns come as the driver parses them, moments as text. */
  run<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
}

const dialect = new PgDialect();

/** As the driver's `unsafe`: how a statement is sent in a transaction. */
export type SendStatement = (...statement: Parameters<Sql["unsafe"]>) => ReturnType<Sql["unsafe"]>;

export function createTransaction(send: SendStatement): Transaction {
  let tables: Tables | null = null;
  return {
    get tables() {
      tables ??= tablesOf(send);
      return tables;
    },
    async run<Row>(statement: string, parameters: readonly SqlParameter[]) {
      return (await send(statement, [...parameters], { prepare: true })) as unknown as readonly Row[];
    },
  };
}

function tablesOf(send: SendStatement): Tables {
  // All that drizzle's session asks of a client.
  const session = new PostgresJsSession<Sql, Record<string, never>, Record<string, never>>(
    { unsafe: send } as unknown as Sql,
    dialect,
    undefined,
  );
  return new PostgresJsTransaction(
    dialect,
    session as unknown as ConstructorParameters<typeof PostgresJsTransaction>[1],
    undefined,
  ) as Tables;
}

/** Makes moments and JSON pass through as text, as drizzle wants them, on every connection of the client. */
export function usePlainText(sql: Sql): void {
  const plain = (value: unknown): unknown => value;
  for (const type of ["1184", "1082", "1083", "1114", "1182", "1185", "1115", "1231"]) {
    Object.assign(sql.options.parsers, { [type]: plain });
    Object.assign(sql.options.serializers, { [type]: plain });
  }
  Object.assign(sql.options.serializers, { 114: plain, 3802: plain });
}
