// Stores sources and the agents that they are attached to.
// Invariant: names are unique per user; attaching adds a row and copies nothing.
import { and, eq } from "drizzle-orm";
import { codePointLength, describeText, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { requireAgent } from "../agents/agent-access.ts";
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows, ensureUser, recordColumns } from "../own-rows.ts";
import type { SourceRecord, SourceStore } from "../port/source-store.ts";
import { agentSources, sources } from "../schema.ts";

/** Maximum length of a source's name, in code points. */
const nameLimit = 200;

export function createSourceStore({ userId, transaction }: UserContext): SourceStore {
  const rows = createOwnRows(sources, userId);
  const list = (nameOrId: string | null) =>
    transaction((tx) => tx.run<SourceRecord>(listSources, [userId, nameOrId, nameOrId]));
  return {
    ensure: ({ id, name, description }) =>
      transaction(async (tx) => {
        const row = { userId, id, name: requireName(name), description };
        await ensureUser(tx, userId);
        const [made] = await tx.tables
          .insert(sources)
          .values(row)
          .onConflictDoUpdate({
            target: [sources.userId, sources.name],
            set: description === null ? { name: row.name } : { description },
          })
          .returning({ id: sources.id });
        return made!.id;
      }),
    list: () => list(null),
    find: async (nameOrId) => (await list(nameOrId))[0] ?? null,
    create: (source) =>
      transaction((tx) => rows.insert(tx, { ...source, name: requireName(source.name) })).catch(nameTaken(source.name)),
    update: (sourceId, { name, ...details }) =>
      transaction(async (tx) => {
        const change = { ...details, name: name === undefined ? name : requireName(name) };
        await requireSource(tx, userId, sourceId);
        await rows.update(tx, sourceId, change);
      }).catch(nameTaken(name)),
    delete: (sourceId) => transaction((tx) => rows.delete(tx, sourceId)),
    attach: (agentId, sourceId) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        await requireSource(tx, userId, sourceId);
        const row = { userId, agentId, sourceId };
        return (await tx.tables.insert(agentSources).values(row).onConflictDoNothing().returning()).length > 0;
      }),
    detach: (agentId, sourceId) =>
      transaction(async (tx) => {
        const ofAgent = and(eq(agentSources.userId, userId), eq(agentSources.agentId, agentId));
        const attachment = and(ofAgent, eq(agentSources.sourceId, sourceId));
        return (await tx.tables.delete(agentSources).where(attachment).returning()).length > 0;
      }),
  };
}

/**
 * Locks a source of the user until the transaction ends. Throws RequestError `source_not_found` if the user has no such source.
 */
export async function requireSource(tx: Transaction, userId: string, sourceId: string): Promise<void> {
  const own = createOwnRows(sources, userId).is(sourceId);
  const found = await tx.tables.select({ id: sources.id }).from(sources).where(own).for("key share");
  if (found.length > 0) return;
  throw new RequestError(
    "source_not_found",
    "This user has no such source. `runtime.sources.list()` lists the sources.",
  );
}

/** Returns a handler for `catch` that throws RequestError `source_exists` if the user has another source of this name. */
function nameTaken(name: string | undefined) {
  return duplicateRefusal(
    "source_exists",
    `Expected a new source name, got "${name}", which exists already. Choose another name, or delete that source first.`,
  );
}

function requireName(name: string): string {
  const stored = storableText(name);
  // oxlint-disable-next-line no-control-regex -- characters that a name may not contain
  if (stored.trim() !== "" && codePointLength(stored) <= nameLimit && !/[\u0000-\u001f\u007f]/u.test(stored))
    return stored;
  throw new RequestError(
    "input_invalid",
    `Expected a source name of 1 to ${nameLimit} characters on one line, got ${describeText(stored)}. Choose another name.`,
  );
}

/** $1 user, $2 a name or null for all sources, $3 an id. Returns the sources that have this name or this id. */
const listSources = `
select ${recordColumns(sources, "s")}, coalesce(f.files, 0)::int as files, coalesce(f.failed, 0)::int as failed,
  coalesce(f.bytes, 0)::float8 as bytes, p.passages, f.loaded_at as "loadedAt",
  g.names as agents, g.ids as "agentIds"
from sources s
left join lateral (
  select coalesce(jsonb_agg(n.name order by n.name, n.id), '[]') as names,
    coalesce(jsonb_agg(n.id order by n.name, n.id), '[]') as ids
  from (
    select a.id, case when a.user_id = $1 then a.name else a.user_id || '/' || a.name end as name
    from agent_sources t
    join grants u on u.user_id = t.user_id and u.agent_id = t.agent_id and u.is_usable
    join agents a on a.user_id = u.owner_id and a.id = u.agent_id
    where t.user_id = s.user_id and t.source_id = s.id
  ) n
) g on true
left join lateral (
  select count(*) as files, count(*) filter (where status = 'failed') as failed, sum(size) as bytes,
    max(loaded_at) filter (where status = 'loaded') as loaded_at
  from source_files where user_id = s.user_id and source_id = s.id
) f on true
cross join lateral (
  select count(*)::int as passages from passages where user_id = s.user_id and archive_id = s.id
) p
where s.user_id = $1 and ($2::text is null or s.name = $2 or s.id = $3::uuid)
order by s.name = $2 desc, s.name, s.id`;
