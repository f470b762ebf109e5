// Adds passages, each text once per archive.
// Invariant: of two passages with the same text the first is kept, even under concurrency. It gets the new tags of the
// second, with the sources of these tags and the lower trust class of both passages. A passage refers to the message that
// added it only if no other turn has added the same text. Links from replaced passages to their replacements form no cycle,
// because an added passage is current.
import { givenRows } from "../own-rows.ts";
import { passages } from "../schema.ts";

/** The fields of `passageRows` that are stored without conversion. */
export const passageFields =
  "id conversationId messageId callId kind origin trust external content searchText terms importance createdAt";
const givenPassages = givenRows(passages, passageFields);

/** SQL: the definitions of the fields `tags` and `contentHash`, and the values of their columns. */
export const tagsAndHash = `, tags jsonb, "contentHash" text`;
export const givenTagsAndHash = `array(select jsonb_array_elements_text(g.tags)), decode(g."contentHash", 'hex')`;

const turnOf = (message: string): string =>
  `(select m.turn_id from messages m where m.user_id = $1 and m.id = ${message})`;
// SQL: whether another turn or consolidation adds the same text. Undoing one of the two then does not delete the passage.
const hasSecondOrigin = `((passages.message_id is not null and passages.message_id is distinct from excluded.message_id
      and ${turnOf("passages.message_id")} is distinct from ${turnOf("excluded.message_id")})
    or (passages.message_id is null and passages.call_id is not null and passages.call_id is distinct from excluded.call_id))`;
/** SQL: whether a replaced passage is added again, which makes it current, with the new time of creation. */
const isRestored = "(passages.replaced_by is not null and excluded.origin <> 'import')";
const hasNewTags = "not (excluded.tags <@ passages.tags)";
// New tags can lower the passage's trust class, because prompts contain the tags of passages that are not external.
const isLowered = `(${hasNewTags} and array_position(array['user', 'model', 'external'], excluded.trust)
      > array_position(array['user', 'model', 'external'], passages.trust))`;
const hasOtherSources = `${isLowered} or (${hasNewTags} and passages.trust <> 'external' and excluded.external <> '[]')`;

/**
 * SQL: the CTEs `added`, `replacing` and `replaced`. They follow the CTE with the name `source`, which yields `agent_id`.
 * `rows` is a parameter with the passages; $1 is the user. Duplicates among these passages are removed here, because "on
 * conflict" does not handle two rows of one statement. `sourceId` is SQL for the source of passages without an agent. `added`
 * includes existing passages that got a second origin or more tags, under their own ids.
 */
export function addPassages(source: string, rows: string, sourceId = "null::uuid"): string {
  return `added as (
  insert into passages (user_id, agent_id, source_id, ${givenPassages.columns}, tags, content_hash)
  select distinct on (g."contentHash") $1, s.agent_id, ${sourceId}, ${givenPassages.values}, ${givenTagsAndHash}
  from ${source} as s, ${givenPassages.from(rows, `${tagsAndHash}, number int`)}
  order by g."contentHash", g.number
  on conflict (user_id, archive_id, content_hash) do update set
    message_id = case when ${hasSecondOrigin} then null else passages.message_id end,
    call_id = case when ${hasSecondOrigin} then null else passages.call_id end,
    tags = passages.tags || array(select t from unnest(excluded.tags) t where t <> all(passages.tags)),
    trust = case when ${isLowered} then excluded.trust else passages.trust end,
    external = case when ${hasOtherSources} then excluded.external else passages.external end,
    replaced_by = case when ${isRestored} then null else passages.replaced_by end,
    created_at = case when ${isRestored} then excluded.created_at else passages.created_at end
    where ${hasSecondOrigin} or ${hasNewTags} or ${isRestored}
  returning id, content_hash
), replacing as (
  select r.id::uuid as replaced, coalesce(a.id, k.id) as id
  from ${source} as s cross join jsonb_to_recordset(${rows}::text::jsonb) as p ("contentHash" text, replaces jsonb)
    cross join jsonb_array_elements_text(p.replaces) as r (id)
    left join added a on a.content_hash = decode(p."contentHash", 'hex')
    left join lateral (
      select e.id from passages e
      where e.user_id = $1 and e.archive_id = s.agent_id and e.content_hash = decode(p."contentHash", 'hex')
      limit 1 for key share
    ) k on true
), replaced as (
  update passages p set replaced_by = (select r.id from replacing r where r.replaced = p.id limit 1)
  where p.user_id = $1 and p.id = any(array(select r.replaced from replacing r where r.id <> r.replaced))
    and p.archive_id = (select s.agent_id from ${source} as s limit 1)
)`;
}

/** $1 user, $2 agent, $3 passages. Returns one row with the number of new passages. */
export const insertPassages = `
with target as (select $2::uuid as agent_id), ${addPassages("target", "$3")}
select count(*)::int as added
from added join jsonb_to_recordset($3::text::jsonb) as given (id uuid) on given.id = added.id`;

/**
 * $1 user, $2 agent or null, $3 a list of one passage, $4 source or null. Returns one row: the id of the passage with
 * that text, and whether the passage is new; the id is null if a concurrent statement added the text.
 */
export const addPassage = `
with target as (select $2::uuid as agent_id), ${addPassages("target", "$3", "$4::uuid")}
select coalesce(a.id, e.id) as id, a.id is not null as "isNew"
from jsonb_to_recordset($3::text::jsonb) as given (id uuid, "contentHash" text)
left join added a on a.id = given.id
left join passages e on e.user_id = $1 and e.archive_id = coalesce($2::uuid, $4::uuid)
  and e.content_hash = decode(given."contentHash", 'hex')`;
