// Creates, finds and renames conversations.

const conversationColumns = "id, agent_id, title, leaf_id, created_at, updated_at";

/** $1 user, $2 id, $3 agent, $4 title or null. No row if the user may not use the agent, or if the id is taken. */
export const createConversation = `
insert into conversations (user_id, id, agent_id, title)
select g.user_id, $2::uuid, g.agent_id, $4::text
from grants g where g.user_id = $1 and g.agent_id = $3::uuid and g.is_usable
on conflict do nothing
returning ${conversationColumns}`;

/** $1 user, $2 id, $3 agent, $4 title. */
export const beginImport = `
insert into conversations (user_id, id, agent_id, title) values ($1, $2::uuid, $3::uuid, $4)`;

/** $1 user, $2 id, $3 its last message, $4 number of messages, $5 and $6 times of the first and the last. */
export const endImport = `
update conversations
set leaf_id = $3::uuid, leaf_position = $4::int, created_at = $5::timestamptz, updated_at = $6::timestamptz
where user_id = $1 and id = $2::uuid
returning ${conversationColumns}`;

/** $1 user, $2 id. */
export const findConversation = `
select ${conversationColumns} from conversations where user_id = $1 and id = $2::uuid`;

/** $1 user, $2 id, $3 title or null. */
export const renameConversation = `
update conversations set title = $3 where user_id = $1 and id = $2::uuid
returning ${conversationColumns}`;
