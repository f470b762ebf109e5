// Builds statements on the vector tables. Each number of dimensions has its own tables, such as `passages_512`.
// Invariant: a table's name contains a validated whole number, so no user input becomes part of a statement.
import { idsIn } from "../stored-values.ts";

/** Creates the vector tables for a number of dimensions if they are missing. $1 the number of dimensions. */
export const ensureVectorTables = "select ensure_vector_tables($1::int)";

/**
 * SQL: the number of forgettings so far, null if there were none. A text that was read when the number was lower may have
 * been redacted since.
 */
const forgettingsSoFar =
  "(select nullif(count(*), 0)::int from forgettings f where f.user_id = $1 and f.applied_at is not null)";

/**
 * SQL: passages of an archive that have no vector, oldest first; with `among`, only from the newest `among` passages. $1
 * user, $2 archive, $3 embedder, $4 maximum rows.
 */
export function passagesWithoutVector(width: number, among?: number): string {
  const newest = `(
  select * from passages where user_id = $1 and archive_id = $2::uuid order by created_at desc, id desc limit ${among}
)`;
  return `
select p.id, p.content, ${forgettingsSoFar} as forgettings
from ${among === undefined ? "passages" : newest} p
where p.user_id = $1 and p.archive_id = $2::uuid
  and not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $3)
order by p.created_at, p.id
limit $4::int`;
}

/**
 * The names of two columns in each vector table: `item`, the passage or message, and `holder`, the archive or agent to which
 * it belongs. functions/vector-columns.sql has the same names.
 */
const columnsOf = {
  passages: { holder: "archive_id", item: "passage_id" },
  messages: { holder: "agent_id", item: "message_id" },
} as const;

/**
 * Returns the statement that stores vectors; a second vector of an item replaces the first. $1 user, $2 archive or agent, $3
 * embedder, $4 rows as JSON. Skips items that are deleted or being deleted: a wait while other items are locked could deadlock
 * with a bulk deletion. If a deletion is rolled back, the item is embedded later. Skips items whose text a forgetting may have
 * changed since the text was read, or is changing: `forgettings` is the number of forgettings at that time. Rows are ordered by
 * id, so that two writers of the same vectors cannot deadlock. Each item is looked up by its key: PostgreSQL cannot estimate
 * the rows of a JSON text, and would otherwise read all items of the holder.
 */
export function addVectors(items: keyof typeof columnsOf, width: number): string {
  const { holder, item } = columnsOf[items];
  return `
insert into ${items}_${width} (user_id, ${holder}, ${item}, embedder, embedding)
select i.user_id, i.${holder}, i.id, $3, r.vector::vector
from (
  select * from jsonb_to_recordset($4::text::jsonb) as r (${item} uuid, vector text, forgettings int)
  where r.forgettings is not distinct from ${forgettingsSoFar}
  order by ${item}
) r
cross join lateral (
  select * from ${items} where user_id = $1 and id between r.${item} and r.${item} order by id limit 1 for share skip locked
) i
where i.${holder} = $2::uuid
on conflict (user_id, ${item}, embedder) do update set embedding = excluded.embedding`;
}

/** Counts the passages that lack a vector in each archive that has such passages. The parameters are those of `inNeed`. */
export function countWithoutVector(width: number): string {
  return `
with ${inNeed(width)}
select p.archive_id as "archiveId", count(*)::int as passages
from archives_in_need n
join passages p on p.user_id = $1 and p.archive_id = n.id
where not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $2)
group by p.archive_id
order by p.archive_id`;
}

/**
 * SQL: messages that recall can find and that have no vector, newest first, with the previous message of the same sitting: $1
 * user, $2 agent, $3 embedder, $4 maximum rows, $5 seconds of a pause that ends a sitting, $6 number of newest messages to
 * consider, or null for all.
 */
export function messagesWithoutVector(width: number): string {
  return `
select m.id, m.text, m.speaker, previous.text as previous, ${forgettingsSoFar} as forgettings
from (
  select * from (
    select * from messages
    where user_id = $1 and agent_id = $2::uuid and search_text is not null
    order by created_at desc, id desc
    limit $6::int
  ) newest
  where not exists (select from messages_${width} v where v.user_id = $1 and v.message_id = newest.id and v.embedder = $3)
  order by created_at desc, id desc
  limit $4::int
) m
left join lateral (
  select b.text, b.created_at from messages b
  where b.user_id = $1 and b.conversation_id = m.conversation_id and b.position < m.position and b.on_thread
    and b.search_text is not null
  order by b.position desc
  limit 1
) previous on previous.created_at >= m.created_at - $5::float8 * interval '1 second'
order by m.created_at desc, m.id desc`;
}

/** Counts the messages that lack a vector for each agent that has such messages. The parameters are those of `inNeed`. */
export function countMessagesWithoutVector(width: number): string {
  return `
with ${inNeed(width)}
select m.agent_id as "agentId", count(*)::int as messages
from agents_in_need n
join messages m on m.user_id = $1 and m.agent_id = n.agent_id and m.search_text is not null
where not exists (select from messages_${width} v where v.user_id = $1 and v.message_id = m.id and v.embedder = $2)
group by m.agent_id
order by m.agent_id`;
}

/** Counts passages and messages that lack a vector. The parameters are those of `inNeed`, and $6 ids to ignore, as JSON. */
export function countMissingVectors(width: number): string {
  return `
with ${inNeed(width)}, refused as materialized (
  select jsonb_array_elements_text($6::text::jsonb)::uuid as id
)
select (
  select count(*) from archives_in_need n join passages p on p.user_id = $1 and p.archive_id = n.id
  where not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $2)
    and not exists (select from refused r where r.id = p.id)
)::int + (
  select count(*) from agents_in_need n
  join messages m on m.user_id = $1 and m.agent_id = n.agent_id and m.search_text is not null
  where not exists (select from messages_${width} v where v.user_id = $1 and v.message_id = m.id and v.embedder = $2)
    and not exists (select from refused r where r.id = m.id)
)::int as missing`;
}

/**
 * Counts the texts that each agent searches, and those among them without a vector. $1 user, $2 embedder, $3 agents as JSON.
 */
export function vectorCoverage(width: number): string {
  return `
with asked as materialized (
  select g.agent_id as id from grants g
  where g.user_id = $1 and g.agent_id in (${idsIn("$3")})
), counted as (
  select h.agent_id, count(*) as texts, count(*) - count(v.passage_id) as missing
  from (
    select id as agent_id, id as archive_id from asked
    union all
    select s.agent_id, s.source_id from agent_sources s join asked on asked.id = s.agent_id where s.user_id = $1
  ) h
  join passages p on p.user_id = $1 and p.archive_id = h.archive_id
  left join passages_${width} v on v.user_id = $1 and v.passage_id = p.id and v.embedder = $2
  group by h.agent_id
  union all
  select m.agent_id, count(*), count(*) - count(v.message_id)
  from asked
  join messages m on m.user_id = $1 and m.agent_id = asked.id and m.search_text is not null
  left join messages_${width} v on v.user_id = $1 and v.message_id = m.id and v.embedder = $2
  group by m.agent_id
)
select asked.id as "agentId", coalesce(sum(c.texts), 0)::int as texts, coalesce(sum(c.missing), 0)::int as missing
from asked left join counted c on c.agent_id = asked.id
group by asked.id
order by asked.id`;
}

/**
 * Deletes vectors of an embedder whose role for an agent is `dropping`, unless an agent with another role needs them.
 * `items`: whether vectors of passages or of messages are deleted. $1 user, $2 embedder, $3 the roles that need vectors, as
 * JSON, $4 true, $5 null (see `inNeed`), $6 maximum rows.
 */
export function dropVectors(items: keyof typeof columnsOf, width: number): string {
  const { holder, item } = columnsOf[items];
  const needed = items === "passages" ? "select id from archives_in_need" : "select agent_id from agents_in_need";
  const sources =
    items === "passages"
      ? "union select s.source_id from agent_sources s join given_up g on g.id = s.agent_id where s.user_id = $1"
      : "";
  return `
with ${inNeed(width)}, given_up as materialized (
  select agent_id as id from agent_embedders
  where user_id = $1 and embedder = $2 and dimensions = ${width} and role = 'dropping'
), holders as materialized (
  (select id from given_up ${sources}) except ${needed}
), doomed as materialized (
  select v.${item} from ${items}_${width} v join holders h on h.id = v.${holder}
  where v.user_id = $1 and v.embedder = $2
  limit $6::int
)
delete from ${items}_${width} v using doomed d
where v.user_id = $1 and v.embedder = $2 and v.${item} = d.${item}
returning 1`;
}

/**
 * SQL: CTEs that select what needs vectors of an embedder: `agents_in_need (agent_id)` and `archives_in_need (id)`. They
 * contain only agents for which the user has a grant, even an ended one, and the user's own sources. $1 user, $2 embedder, $3
 * roles, $4 whether to include agents and sources without an embedder, $5 restriction to these agents, or null.
 */
function inNeed(width: number): string {
  return `
agents_in_need as materialized (
  select e.agent_id from agent_embedders e
  where e.user_id = $1 and e.embedder = $2 and e.dimensions = ${width}
    and e.role in (select jsonb_array_elements_text($3::text::jsonb))
    and ($5::text is null or e.agent_id in (${idsIn("$5")}))
  union
  select g.agent_id from grants g
  where $4::boolean and g.user_id = $1
    and not exists (
      select from agent_embedders e where e.user_id = $1 and e.agent_id = g.agent_id and e.role = 'searched'
    )
    and ($5::text is null or g.agent_id in (${idsIn("$5")}))
), archives_in_need as materialized (
  select agent_id as id from agents_in_need
  union
  select s.source_id from agent_sources s join agents_in_need n on n.agent_id = s.agent_id where s.user_id = $1
  union
  select s.id from sources s
  where $4::boolean and $5::text is null and s.user_id = $1
    and not exists (select from agent_sources t where t.user_id = $1 and t.source_id = s.id)
)`;
}
