// Replaces messages that a conversation has just left behind.
// Invariant: runs in the transaction that moved the leaf; what referred to a replaced message refers to its
// replacement.
import type { LeafMove } from "../port/store.ts";
import type { Lease } from "../port/turn-store.ts";
import { refusedWrite } from "./conversation-faults.ts";
import { messagesAsJson } from "./message-rows.ts";
import { appendToThread } from "../sql/append-to-thread.ts";
import { inheritFromMessages } from "../sql/inherit-from-messages.ts";
import type { Transaction } from "../connection/transaction.ts";

/** The leaf must be `to`. Throws RequestError `lease_lost` with nothing written. */
export async function replaceMessages(
  tx: Transaction,
  userId: string,
  { lease, to, replacements = [] }: Pick<LeafMove, "to" | "replacements"> & { readonly lease: Lease },
): Promise<void> {
  if (replacements.length === 0) return;
  const rows = messagesAsJson(
    replacements.map(({ message }) => message),
    to,
  );
  const written = await tx.run(appendToThread, [userId, lease.conversationId, to, rows, lease.fence]);
  if (written.length === 0) throw await refusedWrite(tx, userId, lease);
  const pairs = replacements.map(({ replaces, message }) => ({ old: replaces, new: message.id }));
  await tx.run(inheritFromMessages, [userId, lease.conversationId, JSON.stringify(pairs)]);
}
