// Writes a long history, equal to that of real turns: a thread of messages, and a compaction above a thousand.
import type postgres from "postgres";

export interface History {
  readonly userId: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly messages: number;
  /** Messages in the window of the longest histories; the compaction replaces all before them. Default 1,000. */
  readonly maxInWindow?: number;
  /** Whether the statistics are to know the user. Default true. */
  readonly isAnalyzed?: boolean;
}

export async function seedHistory(
  sql: postgres.Sql,
  { userId, agentId, conversationId, messages, maxInWindow = 1000, isAnalyzed = true }: History,
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
  if (isAnalyzed) await sql.unsafe("analyze messages");
}

/** Writes five messages of each of 3,000 other users with agents of the same id, and lets the statistics know them. */
export async function seedOthers(sql: postgres.Sql, agentId: string): Promise<void> {
  const others = "(select $1 || '-' || n as user_id, $1::uuid as id from generate_series(1, 3000) n) o";
  for (const statement of [
    `insert into users (user_id) select user_id from ${others}`,
    `insert into agents (user_id, id, name, model, protocol, memory_type, system_prompt, settings)
     select user_id, id, 'a', 'm', 'native', 'chat', '', '{}' from ${others}`,
    `insert into grants (user_id, agent_id, owner_id) select user_id, id, user_id from ${others}`,
    `insert into conversations (user_id, id, agent_id) select user_id, id, id from ${others}`,
    `insert into messages (user_id, id, agent_id, conversation_id, turn_id, position, author, role, kind, status, content, text,
       search_text, tokens, created_at)
     select user_id, md5(user_id || p)::uuid, id, id, id, p, 'user', 'user', 'message', 'complete', '[]', 'A line.', 'a line.', 3, now()
     from ${others}, generate_series(1, 5) p`,
  ])
    await sql.unsafe(statement, [agentId]);
  await sql.unsafe("analyze messages");
}
