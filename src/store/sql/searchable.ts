// SQL that counts what the searches of an agent can find, for use in other statements.
// Invariant: the cost is limited, whatever is stored: counting stops at a maximum, the first and the last time are read from
// the ends of an index, tags are read again only if the newest passage has changed, and counts above the maximum only if the
// first row has.

/** Counting stops here: a larger number is reported as "more than 200". */
export const maxCounted = 200;

// Ordered like an index, because without an order PostgreSQL may scan the whole table for these rows.
const counted = (rows: string): string =>
  `(select count(*)::int from (select ${rows} order by created_at, id limit ${maxCounted + 1}) n)`;

/**
 * SQL: a `SearchableCount`. `rows` is a FROM clause, `kept` a further condition on the counted rows, `known` the JSON of an
 * earlier count: if there were more than the maximum, and the first row is the same, the rows are not counted again.
 */
function countOf(rows: string, known: string, kept = ""): string {
  const end = (direction: string): string =>
    `(select created_at ${rows} order by created_at ${direction}, id ${direction} limit 1)`;
  return `(
    select json_build_object('count', least(n, ${maxCounted}), 'isMore', n > ${maxCounted}, 'first', first, 'last', ${end("desc")})
    from (
      select first, case when (${known} ->> 'isMore')::boolean and (${known} ->> 'first')::timestamptz = first
        then ${maxCounted + 1} else ${counted(`${rows} ${kept}`)} end as n
      from (select ${end("asc")} as first offset 0) f
      offset 0
    ) c
  )`;
}

/**
 * SQL: the `SearchableTags` of the newest passages; `passages` is a FROM clause. A tag counts in `total`, but is not in
 * `common`, if all its passages are external or have external sources.
 */
function tagsOf(passages: string): string {
  return `(
    with newest as (
      select p.tags, p.trust <> 'external' and p.external = '[]' as is_shown
      ${passages} order by p.created_at desc, p.id desc limit ${maxCounted}
    ), tagged as (
      select g.tag, count(*)::int as count, bool_or(n.is_shown) as is_shown
      from newest n, unnest(n.tags) g (tag) group by g.tag
    )
    select json_build_object('common', coalesce(json_agg(t) filter (where t.tag is not null), '[]'), 'total', (select count(*)::int from tagged))
    from (select tag, count from tagged where is_shown order by count desc, tag limit 5) t
  )`;
}

/**
 * SQL: one JSON object for user $1, a `SearchableMemory`. All parameters are SQL expressions; `known` is the last
 * `SearchableMemory` that was read, as JSON, or null.
 */
export function searchableOf(agent: string, conversation: string, known: string): string {
  const messages = `from messages m where m.user_id = $1 and m.agent_id = ${agent} and m.search_text is not null`;
  const passages = `from passages p where p.user_id = $1 and p.archive_id = ${agent} and p.replaced_by is null`;
  const newest = `(select p.id ${passages} order by p.created_at desc, p.id desc limit 1)`;
  const documents = `(
    select json_build_object('count', least(coalesce(sum(n), 0), ${maxCounted}), 'isMore', coalesce(sum(n), 0) > ${maxCounted})
    from (
      select ${counted("from passages p where p.user_id = $1 and p.archive_id = s.source_id")} as n
      from agent_sources s
      where s.user_id = $1 and s.agent_id = ${agent}
      limit 20
    ) s
  )`;
  // The beginning of the conversation is the time of its first message, because imported messages are older than the row of
  // their conversation. The query is scalar, because under a policy PostgreSQL does not look up the value of a COALESCE in an
  // index. The first subquery is ordered, so that PostgreSQL uses the index of positions.
  const began = `(select coalesce(
    (select f.created_at from messages f where f.user_id = $1 and f.conversation_id = ${conversation} and f.position <= 1 and f.on_thread order by f.position limit 1),
    (select v.created_at from conversations v where v.user_id = $1 and v.id = ${conversation}),
    now()
  ))`;
  return `json_build_object(
    'messages', ${countOf(messages, `(${known} -> 'messages')`, "and m.on_thread")},
    'lastBefore', (select m.created_at ${messages} and m.created_at < ${began} order by m.created_at desc, m.id desc limit 1),
    'passages', ${countOf(passages, `(${known} -> 'passages')`)},
    'newestPassageId', ${newest},
    'documents', ${documents},
    'tags', case when ${newest} is distinct from (${known} ->> 'newestPassageId')::uuid then ${tagsOf(passages)} end
  )`;
}

/** $1 user, $2 agent, $3 conversation. */
export const readSearchable = `select ${searchableOf("$2::uuid", "$3::uuid", "null::jsonb")} as searchable`;
