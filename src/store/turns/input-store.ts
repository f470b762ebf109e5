// The queue of inputs that were sent to a conversation while another process held its lease.
// Invariant: an input is queued, taken or withdrawn by one statement each, so it becomes a message once or not at all.
import { storableJson } from "../../base/code-points.ts";
import { createHash } from "node:crypto";
import { type InputStore, type QueuedInput, queueKeyOf } from "../port/turn-store.ts";
import { requireOpenConversation } from "../conversations/conversation-faults.ts";
import { idempotencyKeyOf, inputRepeated } from "./turn-store.ts";
import { enqueueInput } from "../sql/enqueue-input.ts";
import { termParameters } from "../sql/left-turns.ts";
import { adoptionMs, senderPatienceMs, waitsUntil } from "../sql/sender-waits.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

export function createInputStore({ userId, transaction, repeatable, statement, calls }: UserContext): InputStore {
  return {
    enqueue: (conversationId, input) => transaction((tx) => enqueue(tx, userId, { conversationId, input })),
    async renew(conversationId, idempotencyKey) {
      const key = idempotencyKeyOf(idempotencyKey);
      if (isUuid(conversationId)) await statement(renewInput, [userId, conversationId, key]);
    },
    withdraw: (conversationId, idempotencyKey) =>
      transaction(async (tx) => {
        if (!isUuid(conversationId)) return false;
        return (await tx.run(withdrawInput, [userId, conversationId, idempotencyKeyOf(idempotencyKey)])).length > 0;
      }),
    listen: (conversationId, key) => calls?.listen(topicOf(conversationId, key)) ?? null,
    abandoned: (conversationId) =>
      repeatable(async (tx) => {
        if (!isUuid(conversationId)) return [];
        const rows = await tx.run<AbandonedRow>(abandonedInputs, [userId, conversationId]);
        return rows;
      }),
  };
}

/** The text of an input's notifications, as `callNext` makes it. */
function topicOf(conversationId: string, idempotencyKey: string): string {
  return `${conversationId} ${createHash("md5").update(idempotencyKeyOf(idempotencyKey)).digest("hex")}`;
}

type AbandonedRow = Pick<QueuedInput, "messages">;

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
  const messages = input.messages.map((message) => ({
    ...message,
    idempotencyKey: idempotencyKeyOf(message.idempotencyKey),
  }));
  await requireOpenConversation(tx, userId, conversationId);
  const queued = await tx.run(enqueueInput, [
    userId,
    conversationId,
    idempotencyKeyOf(queueKeyOf(input)),
    storableJson(messages),
    senderPatienceMs + (input.terms?.isServed === true ? adoptionMs : 0),
    input.turnId ?? null,
    ...termParameters(input.terms),
  ]);
  if (queued.length === 0) throw inputRepeated();
}
