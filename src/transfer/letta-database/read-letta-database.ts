// Reads the PostgreSQL database of Letta's server 0.16.8, to import it.
// Invariant: everything is read in one read-only transaction, so that the data is consistent even if the server still runs.
import postgres from "postgres";
import type * as z from "zod";
import { messageOf, systemErrorCode } from "../../base/thrown-values.ts";
import type { RequestError } from "../../base/errors.ts";
import { faultText, importFault } from "../import-fault.ts";
import { databaseShapes, type LettaDatabase, type LettaServer } from "./letta-database.ts";

/** The Alembic revision of the database of Letta's server 0.16.8, its last version. */
const knownRevision = "1c28e167b74f";

type Reading = Pick<postgres.Sql, "unsafe">;
type ShapeName = keyof typeof databaseShapes;

const statements: Readonly<Record<Exclude<ShapeName, "messages" | "passages" | "files">, string>> = {
  agents: listOf("agents"),
  blocks: listOf("block"),
  tools: listOf("tools"),
  sources: listOf("sources"),
  archives: listOf("archives"),
  conversations: listOf("conversations"),
  identities: listOf("identities"),
  blockHolders: heldBy("blocks_agents", "block_id"),
  toolHolders: heldBy("tools_agents", "tool_id"),
  sourceHolders: heldBy("sources_agents", "source_id"),
  archiveHolders: heldBy("archives_agents", "archive_id"),
  tags: heldBy("agents_tags", "tag"),
  identityHolders: heldBy("identities_agents", "identity_id"),
};

/** Returns the query of a table that links agents to other rows. The table has no column `is_deleted`. */
function heldBy(table: string, column: string): string {
  return `select to_jsonb(t) as row from ${table} t order by agent_id, ${column}`;
}

function listOf(table: string): string {
  return `select to_jsonb(t) as row from ${table} t where not is_deleted order by created_at, id`;
}

const unmoved = {
  "group(s) of agents": "groups",
  "MCP server(s)": "mcp_server",
  "variable(s) with secrets of agents": "agent_environment_variables",
  "earlier version(s) of blocks": "block_history",
} as const;

/**
 * Calls `use` with the database, which can be read until `use` ends, and returns its result. Throws RequestError
 * `import_invalid` for a database that cannot be read, or has another version of Letta's schema.
 */
export async function readLettaDatabase<Result>(
  url: string,
  use: (database: LettaDatabase) => Promise<Result>,
): Promise<Result> {
  const sql = connect(url);
  try {
    // The cast is sound: `begin` returns the result of its callback, unless that is an array of queries.
    return (await sql.begin("isolation level repeatable read read only", async (reading) => {
      await requireVersion(reading);
      return use(reader(reading));
    })) as Result;
  } catch (error) {
    throw isOfDriver(error) ? unreadable(error) : error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Returns whether an error comes from the driver: the connection or a statement failed. */
function isOfDriver(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return true;
  return /^(?:CONNECT|CONNECTION_|E[A-Z]+|SASL_|AUTH_)/u.test(systemErrorCode(error) ?? "");
}

function connect(url: string): postgres.Sql {
  try {
    // Removes the driver that Letta's own settings name: postgresql+asyncpg://…
    return postgres(url.replace(/^(postgres(?:ql)?)\+\w+:/u, "$1:"), {
      max: 1,
      onnotice: () => undefined,
      fetch_types: false,
      connect_timeout: 15,
    });
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): RequestError {
  return importFault(`the database of Letta cannot be read (${messageOf(error)})`, error);
}

async function requireVersion(sql: Reading): Promise<void> {
  const [table] = await sql.unsafe("select to_regclass('alembic_version') is not null as exists");
  const [version] = table?.["exists"] === true ? await sql.unsafe("select version_num from alembic_version") : [];
  if (version === undefined) throw importFault("expected a database of Letta's server, with a table alembic_version");
  if (version["version_num"] === knownRevision) return;
  throw importFault(
    `expected the schema ${knownRevision} of Letta 0.16.8, got ${String(version["version_num"])}; ` +
      "upgrade that server to 0.16.8 first",
  );
}

function reader(reading: Reading): LettaDatabase {
  async function rows<Name extends ShapeName>(name: Name, statement: string, values: readonly (string | null)[] = []) {
    const found = await reading.unsafe<{ readonly row: unknown }[]>(statement, [...values]);
    return found.map(({ row }, at) => parsed(name, row, at));
  }
  return {
    async server() {
      const lists: Partial<Record<ShapeName, readonly unknown[]>> = {};
      for (const [name, statement] of Object.entries(statements)) {
        lists[name as ShapeName] = await rows(name as ShapeName, statement);
      }
      // The cast is sound: each list was parsed with the schema of its name.
      return { ...(lists as unknown as Omit<LettaServer, "unmoved">), unmoved: await counted(reading) };
    },
    messages: (agentId, conversationId) =>
      conversationId === null
        ? rows("messages", ownMessages, [agentId])
        : rows("messages", messagesOfConversation, [agentId, conversationId]),
    async window(conversationId) {
      const found = await reading.unsafe<{ readonly id: string }[]>(windowOfConversation, [conversationId]);
      return found.map(({ id }) => id);
    },
    passages: (archiveId, after) => rows("passages", passagesOfArchive, [archiveId, after]),
    files: (sourceId) => rows("files", filesOfSource, [sourceId]),
  };
}

function parsed<Name extends ShapeName>(name: Name, row: unknown, at: number): z.output<(typeof databaseShapes)[Name]> {
  const { data, error } = databaseShapes[name].safeParse(row);
  if (error !== undefined) throw importFault(faultText(`${name}[${at}]`, error));
  // The cast is sound: `data` was parsed with the schema of the name.
  return data as z.output<(typeof databaseShapes)[Name]>;
}

async function counted(sql: Reading): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const [what, table] of Object.entries(unmoved)) {
    const [row] = await sql.unsafe(`select count(*)::int as count from ${table} where not is_deleted`);
    counts[what] = Number(row?.["count"]);
  }
  return counts;
}

const ownMessages = `
select to_jsonb(m) as row from messages m
where agent_id = $1 and conversation_id is null and not is_deleted order by sequence_id`;

/** The messages of a conversation, including those before a fork, which belong to another conversation. */
const messagesOfConversation = `
select to_jsonb(m) as row from messages m
where agent_id = $1 and not is_deleted and (conversation_id = $2
  or exists (select 1 from conversation_messages c where c.conversation_id = $2 and c.message_id = m.id and not c.is_deleted))
order by sequence_id`;

const windowOfConversation = `
select message_id as id from conversation_messages where conversation_id = $1 and in_context and not is_deleted order by position`;

const passagesOfArchive = `
select to_jsonb(p) || jsonb_build_object('embedding', p.embedding::text) as row from archival_passages p
where archive_id = $1 and not is_deleted and ($2::text is null or id > $2::text) order by id limit 200`;

const filesOfSource = `
select to_jsonb(f) || jsonb_build_object('text', c.text) as row
from files f left join file_contents c on c.file_id = f.id and not c.is_deleted
where f.source_id = $1 and not f.is_deleted order by f.created_at, f.id`;
