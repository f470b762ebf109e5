// What is stored about a message besides its row: the key that it was sent with, and what its calls waited for.
// Invariant: expressions for a statement in which `m` is the message, `t` one of its calls, and $1 the user.

/** The key of the input that became the message; null for every other message, and in a copied conversation. */
export const keyOfMessage =
  "(select i.idempotency_key from inputs i where i.user_id = $1 and i.message_id = m.id limit 1)";

/** A call as JSON. A call that waited for its result has no verdict. */
export const storedCall = `jsonb_build_object('status', t.status, 'request', case when t.requested_at is null then null else
      jsonb_build_object('awaits', case when t.status = 'awaiting-result' or (t.verdict is null and t.status <> 'awaiting-approval') then 'result' else 'approval' end,
        'verdict', t.verdict, 'reason', t.reason) end)`;
