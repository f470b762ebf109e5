// Lists for each column of each table whether it can hold a user's content, and so must be searched by a forgetting. Removes
// forgotten texts from columns that hold only a text: titles, prompts, messages of schedules, names.
// Invariant: a test (test/contract/forgetting-places.contract.test.ts) fails if this list lacks a column of text, JSON,
// bytes, words or vectors, or has a column that the database lacks.
import { appendAll } from "../../base/lists.ts";
import { randomUUID } from "node:crypto";
import { getTableColumns, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { excerptOf, redactJsonText } from "../../base/message/forget-content.ts";
import * as schema from "../schema.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";

/**
 * `text`: a text, in which forgotten content is replaced; `name`: a text that must be unique, for example in a source, and is
 * replaced completely. `content`: another file of this folder removes texts from it. `derived`: made from a column of this or
 * a referenced row, and made again or deleted with that column. `code`: ids, hashes of whole files, states, settings and
 * names given by programs, which are checked against a list or a format and hold nothing that a user said.
 */
export type ColumnContent = "text" | "name" | "content" | "derived" | "code";

type Columns = Readonly<Record<string, ColumnContent>>;

const vectors = { user_id: "code", embedder: "code", embedding: "derived" } as const;

export const textColumns: Readonly<Record<string, Columns>> = {
  users: { user_id: "code" },
  agents: {
    user_id: "code",
    name: "name",
    model: "code",
    protocol: "code",
    memory_type: "code",
    system_prompt: "text",
    settings: "code",
    description: "text",
    tags: "text",
    metadata: "text",
    extensions: "text",
  },
  // A foreign key keeps `agent_name` equal to the agent's name.
  offers: { user_id: "code", owner_id: "code", agent_name: "derived" },
  grants: { user_id: "code", owner_id: "code", agent_name: "text", time_zone: "code" },
  agent_embedders: { user_id: "code", embedder: "code", role: "code" },
  modules: {
    user_id: "code",
    label: "code",
    description: "text",
    value: "content",
    trust: "code",
    line_trust: "code",
    tags: "text",
    metadata: "text",
  },
  agent_modules: { user_id: "code", label: "code", owner_id: "code", scope: "code" },
  module_grants: { user_id: "code", owner_id: "code", label: "code", access: "code" },
  revisions: {
    user_id: "code",
    editor_id: "code",
    before: "content",
    after: "content",
    origin: "code",
    client: "code",
    tool_name: "code",
    call_id: "code",
    trust: "code",
    line_trust: "code",
    external: "code",
  },
  conversations: { user_id: "code", title: "text", lease_holder: "code", memory_snapshot: "content" },
  messages: {
    user_id: "code",
    author: "code",
    role: "code",
    speaker: "content",
    kind: "code",
    status: "code",
    content: "content",
    text: "content",
    search_text: "derived",
    terms: "derived",
    words: "derived",
    trust: "code",
    stated: "content",
  },
  later_statements: { user_id: "code" },
  inputs: { user_id: "code", idempotency_key: "name", status: "code", messages: "content", options: "text" },
  compactions: {
    user_id: "code",
    strategy: "code",
    summary: "content",
    model: "code",
    focus: "text",
    trust: "code",
  },
  // The column `report` of `steps` holds numbers, ids and fixed texts of the runtime.
  turns: { user_id: "code", stop_reason: "code", error_code: "code", metadata: "text", options: "text" },
  steps: { user_id: "code", model: "code", finish: "code", report: "code" },
  tool_calls: {
    user_id: "code",
    call_id: "code",
    name: "code",
    status: "code",
    requested_arguments: "text",
    preview: "text",
    definition: "text",
    definition_change: "text",
    verdict: "code",
    decided_by: "code",
    reason: "text",
    approved_arguments: "text",
  },
  agent_messages: {
    user_id: "code",
    call_id: "code",
    path: "code",
    text: "text",
    trust: "code",
    status: "code",
    outcome: "code",
  },
  turn_events: { user_id: "code", events: "content" },
  attachments: {
    user_id: "code",
    name: "text",
    media_type: "code",
    sha256: "derived",
    place: "code",
    object_key: "code",
  },
  object_parts: { user_id: "code", key: "code", data: "content" },
  object_deletions: { user_id: "code", place: "code", object_key: "code" },
  // The application, not the user, names its workflows and nodes.
  node_memories: {
    user_id: "code",
    app: "code",
    conversation: "code",
    node: "code",
    place: "code",
    object_key: "code",
  },
  sources: { user_id: "code", name: "name", description: "text", metadata: "text", extensions: "text" },
  source_files: {
    user_id: "code",
    path: "name",
    kind: "code",
    content_hash: "code",
    status: "code",
    reason: "text",
  },
  agent_sources: { user_id: "code", open_files: "code" },
  passages: {
    user_id: "code",
    place: "content",
    call_id: "code",
    kind: "code",
    tags: "content",
    origin: "code",
    trust: "code",
    external: "code",
    content: "content",
    search_text: "derived",
    terms: "derived",
    words: "derived",
    content_hash: "derived",
  },
  synopses: { user_id: "code", part: "code", content: "content", trust: "code", model: "code" },
  consolidations: {
    user_id: "code",
    status: "code",
    signals: "code",
    ranges: "code",
    operations: "content",
    reason: "text",
    model: "code",
    usage: "code",
  },
  sweeps: { user_id: "code", limits: "code" },
  schedules: {
    user_id: "code",
    text: "text",
    cron: "code",
    time_zone: "code",
    conversation: "code",
    on_busy: "code",
    on_missed: "code",
    quiet_hours: "code",
    on_quiet: "code",
  },
  // A forgetting may remove a text from the source code, which then may no longer run.
  stored_tools: {
    user_id: "code",
    name: "code",
    description: "text",
    parameters: "text",
    kind: "code",
    source: "text",
    definition: "text",
    tags: "text",
    metadata: "text",
  },
  mcp_servers: { user_id: "code", name: "code", place: "code", metadata: "text" },
  agent_tools: { user_id: "code" },
  identities: { user_id: "code", identifier_key: "name", name: "text", kind: "code", properties: "text" },
  keys: { user_id: "code", name: "text", hash: "code", prefix: "code", scope: "code" },
  schedule_runs: { user_id: "code", status: "code", outcome: "text" },
  forgettings: { user_id: "code", origin: "code", texts: "content", counts: "code" },
  // There is one pair of tables for each number of dimensions.
  messages_512: vectors,
  passages_512: vectors,
};

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
