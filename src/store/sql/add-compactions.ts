// Stores compactions that are made together, under the lease, as the window's next version.
// Invariant: each ends at a message of the thread at the position that it names; others are not added.

/** $1 user, $2 conversation, $3 the fence, $4 the compactions as JSON. No row: the lease is not held. */
export const addCompactions = `
with moved as (
  update conversations set window_version = window_version + 1
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  returning window_version
), added as (
  insert into compactions (user_id, id, agent_id, conversation_id, window_version, strategy, from_position, through_id,
    through_position, summary, thread_messages, range_tokens, tokens_before, tokens_after, model, input_tokens, output_tokens,
    cached_input_tokens, dollars, focus, trust)
  select $1, c.id, m.agent_id, $2::uuid, moved.window_version, c.strategy, c.from_position, c.through_id,
    c.through_position, c.summary, c.thread_messages, c.range_tokens, c.tokens_before, c.tokens_after, c.model, c.input_tokens,
    c.output_tokens, c.cached_input_tokens, c.dollars, c.focus, c.trust
  from moved, jsonb_to_recordset($4::text::jsonb) as c (id uuid, strategy text, from_position int, through_id uuid,
    through_position int, summary text, thread_messages int, range_tokens int, tokens_before int, tokens_after int, model text,
    input_tokens int, output_tokens int, cached_input_tokens int, dollars float8, focus text, trust text)
  join messages m on m.user_id = $1 and m.id = c.through_id and m.conversation_id = $2::uuid
    and m.position = c.through_position and m.on_thread
  where c.from_position between 1 and c.through_position
  returning 1
)
select window_version, (select count(*)::int from added) as added from moved`;
