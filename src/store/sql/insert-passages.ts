// Adds passages outside a turn, for a person, the API or an import.
import { addPassages } from "./add-passages.ts";

/** $1 user, $2 agent, $3 passages as JSON. One row: how many were new. */
export const insertPassages = `
with target as (select $2::uuid as agent_id), ${addPassages("target", "$3::text::jsonb")}
select count(*)::int as added
from added join jsonb_to_recordset($3::text::jsonb) as given (id uuid) on given.id = added.id`;
