// Stores a queue of the inputs that were sent to a conversation while another process held its lease.
// Invariant: one statement queues an input, one takes it and one withdraws it, so it becomes a message once or never.
import { createHash } from "node:crypto";
import { inputRepeated, type InputStore, noTerms, type QueuedInput, queueKeyOf } from "../port/turn-store.ts";
import { requireOpenConversation } from "../conversations/conversation-faults.ts";
import { adoptionMs, senderPatienceMs, waitsUntil } from "../sql/unfinished-turns.ts";
import { idempotencyKeyOf } from "./turn-store.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";

export function createInputStore({ userId, transaction, statement, calls }: UserContext): InputStore {
  return {
    enqueue: (conversationId, input) => transaction((tx) => enqueue(tx, userId, { conversationId, input })),
    async renew(conversationId, idempotencyKey) {
      await statement(renewInput, [userId, conversationId, idempotencyKeyOf(idempotencyKey)]);
    },
    withdraw: (conversationId, idempotencyKey) =>
      transaction(async (tx) => {
        const parameters = [userId, conversationId, idempotencyKeyOf(idempotencyKey)];
        return (await tx.run(withdrawInput, parameters)).length > 0;
      }),
    listen: (conversationId, key) => calls?.listen(topicOf(conversationId, key)) ?? null,
    abandoned: (conversationId) => statement<Pick<QueuedInput, "messages">>(abandonedInputs, [userId, conversationId]),
  };
}

/** Returns the payload of the notifications for an input, as `callNext` sends it. */
function topicOf(conversationId: string, idempotencyKey: string): string {
  return `${conversationId} ${createHash("md5").update(idempotencyKeyOf(idempotencyKey)).digest("hex")}`;
}

const renewInput = `
update inputs set waits_until = ${waitsUntil}
where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $3 and status = 'queued'`;

// Deletes the row, so that the same input can be sent again under its key.
const withdrawInput = `
delete from inputs where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $3 and status = 'queued'
returning 1`;

const abandonedInputs = `
select messages
from inputs
where user_id = $1 and conversation_id = $2::uuid and status = 'queued' and waits_until <= now()
order by created_at, idempotency_key`;

async function enqueue(
  tx: Transaction,
  userId: string,
  { conversationId, input }: { readonly conversationId: string; readonly input: QueuedInput },
): Promise<void> {
  const { options, isServed } = input.terms ?? noTerms;
  const messages = input.messages.map((message) => ({
    ...message,
    idempotencyKey: idempotencyKeyOf(message.idempotencyKey),
  }));
  await requireOpenConversation(tx, userId, conversationId);
  const queued = await tx.run(enqueueInput, [
    userId,
    conversationId,
    idempotencyKeyOf(queueKeyOf(input)),
    messages,
    senderPatienceMs + (isServed ? adoptionMs : 0),
    input.turnId,
    options,
    isServed,
  ]);
  if (queued.length === 0) throw inputRepeated();
}

/**
 * Queues an input. $1 user, $2 conversation, $3 idempotency key, $4 messages, $5 milliseconds that the input waits unless its
 * sender polls again, $6 the turn that is to answer it, or null, $7 and $8 the terms of that turn. Returns one row if the input
 * is queued; none for an unknown conversation, for a key whose input a turn has taken, and for a key whose sender still waits.
 */
const enqueueInput = `
insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status, messages, waits_until, turn_id, options, is_served)
select $1, v.agent_id, v.id, $3, 'queued', $4::text::jsonb, now() + $5::float8 * interval '1 millisecond', $6::uuid,
  $7, $8::boolean
from conversations v
where v.user_id = $1 and v.id = $2::uuid
on conflict (user_id, conversation_id, idempotency_key) do update
  set waits_until = excluded.waits_until, turn_id = excluded.turn_id, options = excluded.options, is_served = excluded.is_served
  where inputs.status = 'queued' and inputs.waits_until <= now()
returning 1`;
