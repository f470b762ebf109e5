// SQL for the chain of compactions that replace the messages before a window: from the newest back to the first message.
// Invariant: all compactions of the chain end on the thread, and none is undone. Each compaction is preceded by the one that
// ends last before its first message; of two with the same end, by the later one. The cost is the length of the chain, not
// of the history.

/** SQL: the compaction that ends last in a conversation, or last before a position; one row, or none. */
function lastCompaction(conversation: string, before = ""): string {
  return `lateral (
    select c.*
    from compactions c
    join messages m on m.user_id = c.user_id and m.id = c.through_id and m.on_thread
    where c.user_id = $1 and c.conversation_id = ${conversation} and c.undone_at is null${before}
    order by c.through_position desc, c.window_version desc
    limit 1
  )`;
}

// Skips a compaction that ends at a leaf without an answer, as after a rewind, because the window would be empty. Does not skip
// a compaction that covered the whole thread when it was made, because its last message needs no answer.
const answered = " and (c.through_id <> v.leaf_id or m.role = 'assistant' or c.thread_messages = c.through_position)";

/** SQL: the CTE `chain`, with the chains of those conversations `v` of user $1 for which the condition is true. */
export function compactionChain(condition: string): string {
  return `chain as (
  select c.*
  from conversations v cross join ${lastCompaction("v.id", answered)} c
  where v.user_id = $1 and ${condition}
  union all
  select link.*
  from chain cross join ${lastCompaction("chain.conversation_id", " and c.through_position < chain.from_position")} link
)`;
}
