// Says for each column of each table whether it can hold a user's content, and so must be searched by a forgetting. Removes
// forgotten texts from columns that hold only a text: titles, prompts, messages of schedules, names.
// Invariant: a column for which nothing else is stated holds a text, so a forgetting searches it. A test
// (test/contract/forgetting-places.contract.test.ts) plants a text in every such column.
import { appendAll } from "../../base/lists.ts";
import { randomUUID } from "node:crypto";
import { getTableColumns, getTableName } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { excerptOf, redactJsonText } from "../../base/message/forget-content.ts";
import { allTables } from "../schema/all-tables.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";

/**
 * `text`: a text, in which forgotten content is replaced; `name`: a text that must be unique, for example in a source, and is
 * replaced completely. `content`: another file of this folder removes texts from the column. `derived`: computed from a column
 * of the same or a referenced row, and computed again or deleted with that column. `code`: ids, hashes of whole files, states,
 * settings and names given by programs, which are checked against a list or a format and hold nothing that a user said.
 */
export type ColumnContent = "text" | "name" | "content" | "derived" | "code";

type Columns = Readonly<Record<string, ColumnContent>>;

/** The columns whose content is not `text`. Omits `user_id` and columns with a fixed list of values: each of them is `code`. */
const otherThanText: Readonly<Record<string, Columns>> = {
  agent_embedders: { embedder: "code" },
  agent_messages: { call_id: "code", path: "code", outcome: "code" },
  agent_modules: { label: "code", owner_id: "code" },
  agent_sources: { open_files: "code" },
  agents: { name: "name", model: "code", memory_type: "code", settings: "code" },
  attachments: { media_type: "code", sha256: "derived", place: "code", object_key: "code" },
  compactions: { summary: "content", model: "code" },
  consolidations: { signals: "code", ranges: "code", operations: "content", model: "code", usage: "code" },
  conversations: { lease_holder: "code", memory_snapshot: "content" },
  forgettings: { texts: "content", counts: "code" },
  grants: { owner_id: "code", time_zone: "code" },
  identities: { identifier_key: "name" },
  inputs: { idempotency_key: "name", messages: "content" },
  keys: { hash: "code", prefix: "code" },
  mcp_servers: { name: "code", place: "code" },
  messages: {
    speaker: "content",
    content: "content",
    text: "content",
    search_text: "derived",
    terms: "derived",
    words: "derived",
    stated: "content",
  },
  module_grants: { owner_id: "code", label: "code" },
  modules: { label: "code", value: "content", line_trust: "code" },
  // The application, not the user, names its workflows and nodes.
  node_memories: { app: "code", conversation: "code", node: "code", place: "code", object_key: "code" },
  object_deletions: { place: "code", object_key: "code" },
  object_parts: { key: "code", data: "content" },
  // `agent_name` is a copy of the agent's name; a foreign key with `on update cascade` keeps it equal.
  offers: { owner_id: "code", agent_name: "derived" },
  passages: {
    place: "content",
    call_id: "code",
    tags: "content",
    external: "code",
    content: "content",
    search_text: "derived",
    terms: "derived",
    words: "derived",
    content_hash: "derived",
  },
  revisions: {
    editor_id: "code",
    before: "content",
    after: "content",
    client: "code",
    tool_name: "code",
    call_id: "code",
    line_trust: "code",
    external: "code",
  },
  schedules: { cron: "code", time_zone: "code", quiet_hours: "code" },
  source_files: { path: "name", kind: "code", content_hash: "code" },
  sources: { name: "name" },
  // The column `report` holds numbers, ids and fixed texts of the runtime.
  steps: { model: "code", finish: "code", report: "code" },
  // A forgetting may remove a text from the source code, which then may no longer run.
  stored_tools: { name: "code" },
  sweeps: { limits: "code" },
  synopses: { content: "content", model: "code" },
  tool_calls: { call_id: "code", name: "code" },
  turn_events: { events: "content" },
  turns: { stop_reason: "code", error_code: "code" },
};

const vectors = { user_id: "code", embedder: "code", embedding: "derived" } as const;

/** The content of each column that is not a number, a time, a flag or a UUID; by table. */
export const textColumns: Readonly<Record<string, Columns>> = {
  ...Object.fromEntries(allTables.map((table) => [getTableName(table), contentsOf(table)])),
  // Vector tables exist in pairs, one per number of dimensions. This pair represents all of them.
  messages_512: vectors,
  passages_512: vectors,
};

function contentsOf(table: PgTable): Columns {
  const others = otherThanText[getTableName(table)] ?? {};
  const columns = Object.values(getTableColumns(table)).filter((column) =>
    /^(?:text|jsonb|bytea|tsvector)/u.test(column.getSQLType()),
  );
  return Object.fromEntries(
    columns.map(({ name, enumValues = [] }) => {
      const isCode = name === "user_id" || enumValues.length > 0;
      return [name, others[name] ?? (isCode ? "code" : "text")];
    }),
  );
}

interface PlainTable {
  readonly name: string;
  /** The columns of the primary key, with their types. */
  readonly key: readonly { readonly name: string; readonly type: string }[];
  readonly columns: readonly string[];
}

const plainTables: readonly PlainTable[] = allTables
  .map((table) => {
    const { name, primaryKeys } = getTableConfig(table);
    const columns = Object.entries(textColumns[name] ?? {}).flatMap(([column, content]) =>
      content === "text" || content === "name" ? [column] : [],
    );
    const inKey = new Set(primaryKeys[0]?.columns.map((column) => column.name));
    const key = Object.values(getTableColumns(table))
      .filter((column) => inKey.has(column.name))
      .map((column) => ({ name: column.name, type: column.getSQLType() }));
    // Columns of the key are changed last, so that the changes of other columns still find the row by its old key.
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
