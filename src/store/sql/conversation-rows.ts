// Creates, finds and renames conversations.

const conversationColumns = "id, agent_id, title, leaf_id, created_at, updated_at";

/** $1 user, $2 id, $3 agent. No row if the user may not use the agent, or if the id is taken. */
export const createConversation = `
insert into conversations (user_id, id, agent_id)
select g.user_id, $2::uuid, g.agent_id
from grants g where g.user_id = $1 and g.agent_id = $3::uuid and g.is_usable
on conflict do nothing
returning ${conversationColumns}`;

/** $1 user, $2 id, $3 agent, $4 title, $5 its last message, $6 number of messages, $7 and $8 times of the first and last. */
export const createImported = `
insert into conversations (user_id, id, agent_id, title, leaf_id, leaf_position, created_at, updated_at)
values ($1, $2::uuid, $3::uuid, $4, $5::uuid, $6::int, $7::timestamptz, $8::timestamptz)
returning ${conversationColumns}`;

/** $1 user, $2 id. */
export const findConversation = `
select ${conversationColumns} from conversations where user_id = $1 and id = $2::uuid`;

/** $1 user, $2 id, $3 title or null. */
export const renameConversation = `
update conversations set title = $3 where user_id = $1 and id = $2::uuid
returning ${conversationColumns}`;
