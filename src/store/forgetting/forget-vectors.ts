// Deletes the vectors of changed texts from all vector tables; new vectors are made from the remaining text.
// Invariant: a process that read a text before the forgetting cannot store a vector of it afterwards, because storing locks
// the text's row and compares the number of forgettings (src/store/sql/vectors.ts).
import { vectorTable, vectorTableNames } from "../backup/stored-tables.ts";
import { idsIn } from "../stored-values.ts";
import type { ForgettingWork } from "./forgetting-work.ts";

/**
 * Selects the messages after changed ones whose vectors may include the changed text: on the thread, the next message;
 * on abandoned branches, where the previous message is not known, all later messages.
 */
const followers = `
with changed as (
  select m.conversation_id, m.position from messages m
  where m.user_id = $1 and m.id in (${idsIn("$2")})
), next as (
  select n.id from changed c cross join lateral (
    select b.id from messages b
    where b.user_id = $1 and b.conversation_id = c.conversation_id and b.position > c.position and b.on_thread
      and b.search_text is not null
    order by b.position
    limit 1
  ) n
  union
  select b.id from changed c
  join messages b on b.user_id = $1 and b.conversation_id = c.conversation_id and b.position > c.position
  where not b.on_thread
)
select m.id from messages m where m.user_id = $1 and m.id in (select id from next) order by m.id for update`;

export async function deleteVectors(
  { tx, userId }: Pick<ForgettingWork, "tx" | "userId">,
  changed: { readonly messages: readonly string[]; readonly passages: readonly string[] },
): Promise<void> {
  const later = await tx.run<{ readonly id: string }>(followers, [userId, changed.messages]);
  const messages = [...changed.messages, ...later.map(({ id }) => id)];
  for (const { name } of await tx.run<{ readonly name: string }>(vectorTableNames, [])) {
    const isOfMessages = vectorTable(name)?.name.startsWith("messages_") === true;
    const [column, ids] = isOfMessages ? ["message_id", messages] : ["passage_id", changed.passages];
    await tx.run(`delete from ${name} where user_id = $1 and ${column} in (${idsIn("$2")})`, [userId, ids]);
  }
}
