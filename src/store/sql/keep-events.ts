// Stores events of a turn in the statement of another write.
// Invariant: they are stored exactly if that write is.

/**
 * SQL: a CTE that stores the events in parameters $`first` to $`first + 3` (turn, first number, last number, text; the
 * text is null for none) for each row of `source`, which has the column agent_id. $1 is the user, $2 the conversation.
 */
export function keepEvents(source: string, first: number): string {
  const [turn, from, through, text] = [first, first + 1, first + 2, first + 3].map((number) => `$${number}`);
  return `kept as (
  insert into turn_events (user_id, agent_id, conversation_id, turn_id, first_sequence, last_sequence, events)
  select $1, ${source}.agent_id, $2::uuid, ${turn}::uuid, ${from}::int, ${through}::int, ${text}
  from ${source} where ${text}::text is not null
  on conflict (user_id, turn_id, first_sequence) do nothing
)`;
}
