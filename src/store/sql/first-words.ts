// SQL for the words with which a user began a conversation.

/**
 * Returns a lateral join with `text` and `trust`, which are null if the user wrote nothing. `conversation`: SQL for the
 * conversation's id. `codePoints`: maximum length of the text. `unless`: an SQL condition under which nothing is read. $1: the
 * user.
 */
export function firstWords(
  conversation: string,
  { codePoints, unless = "false" }: { readonly codePoints: number; readonly unless?: string },
): string {
  return `left join lateral (
  select nullif(left(m.text, ${codePoints}), '') as text, m.trust
  from messages m
  where not (${unless}) and m.user_id = $1 and m.conversation_id = ${conversation}
    and m.on_thread and m.role = 'user' and m.kind = 'message'
  order by m.position
  limit 1
) f on true`;
}
