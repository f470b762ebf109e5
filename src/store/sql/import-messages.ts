// Inserts the messages of an imported conversation.

/**
 * $1 user, $2 agent, $3 conversation, $4 some of its messages as JSON, in order, $5 the position of the message before
 * them. All of them are on the thread.
 */
export const importMessages = `
insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, speaker, kind, status,
  content, text, search_text, terms, tokens, trust, created_at)
select $1, m.id, $2::uuid, $3::uuid, m.parent_id, m.turn_id, $5::int + m.number, m.author, m.role, m.speaker, m.kind, m.status,
  m.content, m.text, m.search_text, m.terms::tsvector, m.tokens, m.trust, m.created_at
from jsonb_to_recordset($4::text::jsonb) as m (id uuid, parent_id uuid, turn_id uuid, number int, author text, role text,
  speaker text, kind text, status text, content jsonb, text text, search_text text, terms text, tokens int, trust text,
  created_at timestamptz)`;
