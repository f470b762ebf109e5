// Moves a conversation's leaf by compare-and-swap and writes the messages that it moves over.
// Invariant: the two happen in one statement and under the conversation's lease, so the leaf always names a stored message
// and no one writes who was taken over.

export interface AppendOptions {
  /** SQL: under which lease it may happen. */
  readonly lease: string;
  /** SQL: what else the conversation's row gets, with a comma before it. */
  readonly change: string;
}

const underLease: AppendOptions = { lease: "lease_fence = $5::int", change: "" };

/**
 * Opens a statement with the CTEs `moved` (one row, or none when the conversation stands elsewhere) and `written`.
 * Parameters: $1 user, $2 conversation, $3 the leaf it must stand on, $4 the messages as JSON, in order, $5 the fence.
 * One statement for all writes of a commit: each more would cost two round trips where statements are not prepared.
 * The messages' positions count on from the leaf's, so nothing here depends on how many there are.
 */
export function appendMessages({ lease, change }: AppendOptions = underLease): string {
  return `
with moved as (
  update conversations
  set leaf_id = ($4::text::jsonb -> -1 ->> 'id')::uuid,
      leaf_position = leaf_position + jsonb_array_length($4::text::jsonb),
      updated_at = now()${change}
  where user_id = $1 and id = $2::uuid and leaf_id is not distinct from $3::uuid and (${lease})
  returning agent_id, lease_fence, window_version, leaf_position - jsonb_array_length($4::text::jsonb) as base
), written as (
  insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, speaker, kind, status,
    content, text, search_text, terms, tokens, trust, created_at)
  select $1, m.id, moved.agent_id, $2::uuid, m.parent_id, m.turn_id, moved.base + m.number, m.author, m.role, m.speaker, m.kind, m.status,
    m.content, m.text, m.search_text, m.terms::tsvector, m.tokens, m.trust, m.created_at
  from moved, jsonb_to_recordset($4::text::jsonb) as m (id uuid, parent_id uuid, turn_id uuid, number int, author text,
    role text, speaker text, kind text, status text, content jsonb, text text, search_text text, terms text, tokens int, trust text, created_at timestamptz)
)`;
}
