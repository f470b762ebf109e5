// What may be asked of the database inside a transaction.
// Invariant: a Transaction is handed out by `database.ts` alone, after its role and its user were set.
import { PgDialect } from "drizzle-orm/pg-core";
import { PostgresJsSession, PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { Sql, TransactionSql } from "postgres";
import { StoreError } from "../errors.ts";

export type SqlParameter = string | number | boolean | null;

type Tables = PostgresJsTransaction<Record<string, never>, Record<string, never>>;

export interface Transaction {
  /** Drizzle, for statements that it can say. */
  readonly tables: Tables;
  /** Runs a hand-made statement. Columns come as the driver parses them, moments as text. */
  run<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
}

const dialect = new PgDialect();

/** Wraps the driver's transaction. `isLost` tells that its connection is gone. */
export function createTransaction(raw: TransactionSql, isLost: () => boolean): Transaction {
  let tables: Tables | null = null;
  return {
    get tables() {
      tables ??= tablesOf(raw);
      return tables;
    },
    async run<Row>(statement: string, parameters: readonly SqlParameter[]) {
      // The driver dies of a write to a socket that it has dropped.
      if (isLost()) throw new StoreError("store_unreachable", "The connection to the database was lost. Try again.");
      return (await raw.unsafe(statement, [...parameters], { prepare: true })) as unknown as readonly Row[];
    },
  };
}

function tablesOf(raw: TransactionSql): Tables {
  // Drizzle's session takes both, as its own code does; its declarations know only the one.
  const session = new PostgresJsSession<Sql, Record<string, never>, Record<string, never>>(
    raw as unknown as Sql,
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
