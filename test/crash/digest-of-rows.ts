// A digest of every row of every table of a database, from the database's own catalogue.
import { openDatabase } from "../../src/store/connection/database.ts";
import type { StoreOptions } from "../../src/store/open-store.ts";

/** What a database without a row has. */
export const noRows = "none";

/** As the owner of the tables. Equal for two databases that have the same rows. */
export async function digestOfRows(connection: StoreOptions["connection"]): Promise<string> {
  const database = await openDatabase({ connection });
  try {
    return await database.ownerTransaction(async (tx) => {
      const tables = await tx.run<{ readonly name: string }>(
        "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1",
        [],
      );
      const digests: string[] = [];
      for (const { name } of tables) {
        const [row] = await tx.run<{ readonly rows: number; readonly digest: string | null }>(
          `select count(*)::int as rows, md5(string_agg(md5(to_jsonb(t)::text), '' order by md5(to_jsonb(t)::text))) as digest from "${name}" t`,
          [],
        );
        if (row !== undefined && row.rows > 0) digests.push(`${name}:${row.rows}:${row.digest}`);
      }
      return digests.length === 0 ? noRows : digests.join(",");
    });
  } finally {
    await database.close();
  }
}
