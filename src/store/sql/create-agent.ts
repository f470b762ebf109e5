// Creates an agent: its user, its row, its owner's grant and its modules.
// Invariant: in this order. The policies of a grant and of modules look up the rows before them, so they are separate
// statements.
import { agentColumns } from "./read-opening.ts";

/** $1 user. */
export const createUser = "insert into users (user_id) values ($1) on conflict do nothing";

/**
 * $1 user, $2 id, $3 name, $4 model, $5 protocol, $6 memory class, $7 prompt, $8 settings, $9 description, $10 tags,
 * $11 metadata, $12 extensions. No row: the name is taken.
 */
export const createAgent = `
insert into agents as a (user_id, id, name, model, protocol, memory_type, system_prompt, settings, description, tags,
  metadata, extensions)
values ($1, $2::uuid, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, $11, $12)
on conflict (user_id, name) do nothing
returning ${agentColumns}`;

/** $1 user, $2 agent. */
export const createOwnGrant = "insert into grants (user_id, agent_id, owner_id) values ($1, $2::uuid, $1)";

/** $1 rows as JSON, as from `moduleRow`. */
export const createModules = `
insert into modules (user_id, agent_id, position, label, scope, description, value, max_length, read_only, trust)
select m."userId", m."agentId", m.position, m.label, m.scope, m.description, m.value, m."maxLength", m."readOnly", m.trust
from jsonb_to_recordset($1::text::jsonb) as m ("userId" text, "agentId" uuid, position int, label text, scope text,
  description text, value text, "maxLength" int, "readOnly" boolean, trust text)`;
