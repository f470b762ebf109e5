// Notifies the sender of the next queued input that the lease of its conversation is free.
// Invariant: no notification is sent if no input waits, because PostgreSQL serializes commits that send notifications.

export const callChannel = "palimpsest_calls";

/**
 * SQL: an expression that notifies the sender of the next queued input when the transaction commits. Its value is the
 * number of notifications: 0 or 1. $1 user, $2 conversation. The payload is the conversation's id and the MD5 of the
 * input's key, the same text as `topicOf` returns.
 */
export const callNext = `(
  select count(pg_notify('${callChannel}', ($2::uuid)::text || ' ' || md5(n.idempotency_key)))::int
  from (
    select i.idempotency_key from inputs i
    where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'queued' and i.waits_until > now()
    order by i.created_at, i.idempotency_key
    limit 1
  ) n
)`;
