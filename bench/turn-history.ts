// Writes a long history, equal to that of real turns: a thread of messages, and a compaction above a thousand.
import type postgres from "postgres";

export interface History {
  readonly userId: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly messages: number;
  /** Messages in the window of the longest histories; the compaction replaces all before them. Default 1,000. */
  readonly maxInWindow?: number;
}

export async function seedHistory(
  sql: postgres.Sql,
  { userId, agentId, conversationId, messages, maxInWindow = 1000 }: History,
): Promise<void> {
  await sql.unsafe(
    `insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, kind, status,
       content, text, search_text, tokens, created_at)
     select $1, md5($3::text || n)::uuid, $2, $3::text::uuid, case when n = 1 then null else md5($3::text || (n - 1))::uuid end, md5($3::text || 't' || (n + 1) / 2)::uuid, n,
       $1, case n % 2 when 1 then 'user' else 'assistant' end, 'message', 'complete',
       jsonb_build_array(jsonb_build_object('type', 'text', 'text', line)), line, line, 24, now()
     from (select n, 'Message number ' || n || ' of a long conversation about boats, tides and the people at the harbour.' as line
       from generate_series(1, $4::int) n) lines`,
    [userId, agentId, conversationId, messages],
  );
  await sql.unsafe(
    "update conversations set leaf_id = md5($3::text || $4::int)::uuid, leaf_position = $4::int where user_id = $1 and agent_id = $2 and id = $3::text::uuid",
    [userId, agentId, conversationId, messages],
  );
  if (messages <= maxInWindow) return;
  const through = messages - maxInWindow;
  await sql.unsafe(
    `with moved as (update conversations set window_version = 1 where user_id = $1 and id = $3::text::uuid)
     insert into compactions (user_id, id, agent_id, conversation_id, window_version, strategy, from_position, through_id,
       through_position, summary, thread_messages, range_tokens, tokens_before, tokens_after, model, input_tokens, output_tokens,
       cached_input_tokens)
     values ($1, gen_random_uuid(), $2, $3::text::uuid, 1, 'recursive', 1, md5($3::text || $4::int)::uuid, $4::int,
       'A long talk about boats.', $4::int, $4::int, 1, 1, null, 0, 0, 0)`,
    [userId, agentId, conversationId, through],
  );
  await sql.unsafe("analyze messages");
}
