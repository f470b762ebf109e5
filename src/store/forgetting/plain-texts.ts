// Forgets in columns that are nothing but a text: titles, prompts, messages of schedules, names.
// Invariant: the columns are those of `textColumns` with the content `text` or `name`. A name stays unique.
import { appendAll } from "../../base/lists.ts";
import { randomUUID } from "node:crypto";
import { getTableColumns, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { excerptOf, redactJsonText } from "../../base/message/forget-content.ts";
import * as schema from "../schema.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";
import { textColumns } from "./text-columns.ts";

interface PlainTable {
  readonly name: string;
  /** The columns of the primary key, with their types. */
  readonly key: readonly { readonly name: string; readonly type: string }[];
  readonly columns: readonly string[];
}

const plainTables: readonly PlainTable[] = Object.values<unknown>(schema)
  .filter((table) => is(table, PgTable))
  .map((table) => {
    const { name, primaryKeys } = getTableConfig(table);
    const columns = Object.entries(textColumns[name] ?? {}).flatMap(([column, content]) =>
      content === "text" || content === "name" ? [column] : [],
    );
    const inKey = new Set(primaryKeys[0]?.columns.map((column) => column.name));
    const key = Object.values(getTableColumns(table))
      .filter((column) => inKey.has(column.name))
      .map((column) => ({ name: column.name, type: column.getSQLType() }));
    // Those of the key last: the others are written to the row that has it.
    const ordered = columns.toSorted((one, other) => Number(inKey.has(one)) - Number(inKey.has(other)));
    return { name, key, columns: ordered };
  })
  .filter(({ columns }) => columns.length > 0);

export async function forgetPlainTexts(work: ForgettingWork): Promise<readonly ForgottenPlace[]> {
  const places: ForgottenPlace[] = [];
  for (const table of plainTables) appendAll(places, await forgetInTable(work, table));
  return places;
}

type Row = Readonly<Record<string, string | null>>;

async function forgetInTable(work: ForgettingWork, { name, key, columns }: PlainTable): Promise<ForgottenPlace[]> {
  const { tx, userId, redactor, request, writes } = work;
  const keys = key.map((column, at) => `"${column.name}"::text as key_${at}`);
  const isFilled = columns.map((column) => `"${column}" is not null`).join(" or ");
  const rows = await tx.run<Row>(
    `select ${[...keys, ...columns.map((column) => `"${column}"`)].join(", ")} from "${name}"
     where user_id = $1 and (${isFilled}) ${lockFor(work)}`,
    [userId],
  );
  const places: ForgottenPlace[] = [];
  for (const row of rows) {
    for (const column of columns) {
      const text = row[column] ?? null;
      const excerpt = text === null || request.kept?.includes(text) ? null : excerptOf(text, redactor);
      if (text === null || excerpt === null) continue;
      places.push({ kind: "other", id: `${name}: ${column}`.replaceAll("_", " "), excerpt, effect: "redacted" });
      const isName = textColumns[name]?.[column] === "name";
      const redacted = isName ? `forgotten-${randomUUID()}` : redactJsonText(text, redactor);
      if (writes)
        await tx.run(changeOf({ name, key, column }), [redacted, ...key.map((_, at) => row[`key_${at}`] ?? null)]);
    }
  }
  return places;
}

function changeOf({ name, key, column }: Pick<PlainTable, "name" | "key"> & { readonly column: string }): string {
  const isRow = key.map((one, at) => `"${one.name}" = $${at + 2}::text::${one.type}`).join(" and ");
  return `update "${name}" set "${column}" = $1 where ${isRow}`;
}
