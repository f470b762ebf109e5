// Adds one passage outside a turn, to an agent's archive or to a source, and tells its id.
import { addPassages } from "./add-passages.ts";

/**
 * $1 user, $2 agent or null, $3 the passage as a JSON array of one, $4 source or null. One row: the id of the passage with
 * that text, and whether it is new; nulls if another statement added it meanwhile.
 */
export const addPassage = `
with target as (select $2::uuid as agent_id), ${addPassages("target", "$3::text::jsonb", "$4::uuid")}
select coalesce(a.id, e.id) as id, a.id is not null as "isNew"
from jsonb_to_recordset($3::text::jsonb) as given (id uuid, content_hash text)
left join added a on a.id = given.id
left join passages e on e.user_id = $1 and e.archive_id = coalesce($2::uuid, $4::uuid)
  and e.content_hash = decode(given.content_hash, 'hex')`;
