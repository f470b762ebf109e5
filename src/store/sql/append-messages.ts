// Moves a conversation's leaf by compare-and-swap and inserts the messages up to the new leaf.
// Invariant: one statement under the conversation's lease, so the leaf always names a stored message, and a process
// that lost the lease writes nothing.
import { givenRows } from "../own-rows.ts";
import { messages } from "../schema.ts";

/** The fields of `rowOfMessage` that are columns. */
export const messageFields =
  "id parentId turnId author role speaker kind status content text searchText terms tokens trust createdAt stated";
export const givenMessages = givenRows(messages, messageFields);

export interface AppendOptions {
  /** SQL: the condition on the lease. */
  readonly lease: string;
  /** SQL: further assignments to the conversation's row, starting with a comma. */
  readonly change: string;
}

/** SQL: the condition that the lease still has the fence $5. */
export const underLease = "lease_fence = $5::int";

/**
 * Returns the beginning of a statement: the CTEs `moved` (one row, or none if the lease is lost or the leaf is not the
 * expected one) and `written`. Parameters: $1 user, $2 conversation, $3 the expected leaf, $4 the messages, in order, $5 the
 * fence. All writes of a commit are one statement, because a further statement would cost two round trips if it is not
 * prepared. The new positions continue from the leaf's, so the cost does not depend on the conversation's length.
 */
export function appendMessages({ lease, change }: AppendOptions = { lease: underLease, change: "" }): string {
  return `
with moved as (
  update conversations
  set leaf_id = ($4::text::jsonb -> -1 ->> 'id')::uuid,
      leaf_position = leaf_position + jsonb_array_length($4::text::jsonb),
      updated_at = now()${change}
  where user_id = $1 and id = $2::uuid and leaf_id is not distinct from $3::uuid and (${lease})
  returning agent_id, lease_fence, window_version, leaf_position - jsonb_array_length($4::text::jsonb) as base
), written as (
  insert into messages (user_id, agent_id, conversation_id, position, ${givenMessages.columns})
  select $1, moved.agent_id, $2::uuid, moved.base + g.number, ${givenMessages.values}
  from moved, ${givenMessages.from("$4", ", number int")}
)`;
}

/** Appends the runtime's messages. Returns one row; none if the lease is lost or the leaf is not the expected one. */
export const appendToThread = `${appendMessages()} select 1 from moved`;
