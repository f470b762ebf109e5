// Stores the tool calls that wait for the user's approval, a result from the caller or the reply of another agent, and the
// decisions about them.
// Invariant: a call waits or has a decision, never both, and the first of two decisions wins.
import { and, asc, desc, eq, isNotNull, or } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalStore,
  CallAnswers,
  CallReference,
} from "../port/approval-store.ts";
import type { Lease } from "../port/turn-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { refusedWrite, requireLease } from "../conversations/conversation-faults.ts";
import { rowsOfMessages } from "../conversations/message-rows.ts";
import { isRefusedWrite } from "../connection/database-error.ts";
import { appendMessages } from "../sql/append-messages.ts";
import { appendEvents, eventParameters } from "../sql/keep-events.ts";
import { goOnWithTurnOf } from "../sql/unfinished-turns.ts";
import { messages, toolCalls } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";

type Row = typeof toolCalls.$inferSelect;

export function createApprovalStore({ userId, transaction, repeatable }: UserContext): ApprovalStore {
  return {
    request: (lease, calls, events = null) =>
      transaction(async (tx) => {
        for (const call of calls) await move(tx, userId, { lease, call, from: "pending", values: requestRow(call) });
        if (events === null) return;
        await tx.run(appendEvents, [userId, lease.conversationId, lease.fence, ...eventParameters(events)]);
      }),
    decide: (lease, call, decision) =>
      transaction(async (tx) => {
        await move(tx, userId, { lease, call, from: "awaiting-approval", values: decisionRow(decision) });
        if (decision.by === "user") await tx.run(goOnWithTurnOf("$2"), [userId, call.messageId]);
      }),
    answer: async (lease, answers) => {
      try {
        await transaction((tx) => answer(tx, userId, { lease, answers }));
      } catch (error) {
        throw isRefusedWrite(error) ? notAwaited(error) : error;
      }
    },
    ofMessage: (messageId) =>
      repeatable(async (tx) => {
        const rows = await tx.tables
          .select()
          .from(toolCalls)
          .where(
            and(
              eq(toolCalls.userId, userId),
              eq(toolCalls.messageId, messageId),
              or(isNotNull(toolCalls.requestedAt), eq(toolCalls.status, "awaiting-reply")),
            ),
          )
          .orderBy(asc(toolCalls.position));
        return rows.map(approvalOfRow);
      }),
    lastDefinition: (toolName) => repeatable((tx) => lastDefinition(tx, userId, toolName)),
    waiting: (agentId) =>
      repeatable(async (tx) => {
        await requireAgent(tx, userId, agentId);
        return waiting(tx, userId, agentId);
      }),
  };
}

async function answer(
  tx: Transaction,
  userId: string,
  { lease, answers }: { readonly lease: Lease; readonly answers: CallAnswers },
): Promise<void> {
  const { callMessageId, messages: given, results } = answers;
  const leafId = given[0]?.parentId ?? null;
  const calls = results.map(({ callId, status }, at) => ({ call_id: callId, status, message_id: given[at]?.id }));
  const stored = await tx.run(answerCalls, [
    userId,
    lease.conversationId,
    leafId,
    rowsOfMessages(given, leafId),
    lease.fence,
    callMessageId,
    calls,
  ]);
  if (stored.length === 0) throw await refusedWrite(tx, userId, lease);
}

function notAwaited(cause: unknown): RequestError {
  return new RequestError(
    "result_not_awaited",
    "One of these calls does not wait for a result: it was answered meanwhile, or does not exist. No result was stored.",
    { cause },
  );
}

interface Move {
  readonly lease: Lease;
  readonly call: CallReference;
  readonly from: "pending" | "awaiting-approval";
  readonly values: Partial<Row>;
}

async function move(tx: Transaction, userId: string, { lease, call, from, values }: Move): Promise<void> {
  const { conversationId, messageId, callId } = call;
  await requireLease(tx, userId, lease);
  const moved = await tx.tables
    .update(toolCalls)
    .set(values)
    .where(
      and(
        eq(toolCalls.userId, userId),
        eq(toolCalls.messageId, messageId),
        eq(toolCalls.callId, callId),
        eq(toolCalls.conversationId, conversationId),
        eq(toolCalls.status, from),
      ),
    )
    .returning({ callId: toolCalls.callId });
  if (moved.length > 0) return;
  throw new RequestError(
    "approval_not_found",
    from === "pending"
      ? "Expected a pending tool call of this conversation, got a call that is not pending or not in it. Load the conversation again."
      : "This tool call does not wait for approval: it was decided meanwhile, or does not exist.",
  );
}

function requestRow(call: Parameters<ApprovalStore["request"]>[1][number]): Partial<Row> {
  // The call waits for another agent, not for the user: no request is stored, and an earlier approval of the call is kept.
  if (call.awaits === "reply") return { status: "awaiting-reply", requestedArguments: call.arguments };
  return {
    status: `awaiting-${call.awaits}`,
    requestedAt: call.requestedAt,
    expiresAt: call.expiresAt,
    requestedArguments: call.arguments,
    preview: call.preview,
    definition: call.definition?.text ?? null,
    definitionChange: call.definition?.change ?? null,
  };
}

/**
 * Returns the tool's definition at the last call that the user approved; null if there is no such call, or none with a stored
 * definition.
 */
async function lastDefinition(tx: Transaction, userId: string, toolName: string): Promise<string | null> {
  const [row] = await tx.tables
    .select({ definition: toolCalls.definition })
    .from(toolCalls)
    .where(
      and(
        eq(toolCalls.userId, userId),
        eq(toolCalls.name, toolName),
        eq(toolCalls.verdict, "approved"),
        isNotNull(toolCalls.definition),
      ),
    )
    .orderBy(desc(toolCalls.decidedAt))
    .limit(1);
  return row?.definition ?? null;
}

function decisionRow({ verdict, by, reason, arguments: edited, at }: ApprovalDecision): Partial<Row> {
  return { status: "pending", verdict, decidedBy: by, reason, approvedArguments: edited, decidedAt: at };
}

// Leaves out calls on abandoned branches: they keep their status, but the user is not asked about them.
async function waiting(tx: Transaction, userId: string, agentId: string): Promise<readonly ApprovalRecord[]> {
  const rows = await tx.tables
    .select({ call: toolCalls })
    .from(toolCalls)
    .innerJoin(messages, and(eq(messages.userId, toolCalls.userId), eq(messages.id, toolCalls.messageId)))
    .where(
      and(
        eq(toolCalls.userId, userId),
        eq(toolCalls.agentId, agentId),
        eq(toolCalls.status, "awaiting-approval"),
        eq(messages.onThread, true),
      ),
    )
    .orderBy(asc(toolCalls.requestedAt), asc(toolCalls.messageId), asc(toolCalls.position));
  return rows.map(({ call }) => approvalOfRow(call));
}

const waits: Partial<Record<Row["status"], ApprovalRecord["awaits"]>> = {
  "awaiting-result": "result",
  "awaiting-reply": "reply",
};

function approvalOfRow(row: Row): ApprovalRecord {
  return {
    awaits: waits[row.status] ?? "approval",
    conversationId: row.conversationId,
    messageId: row.messageId,
    callId: row.callId,
    toolName: row.name,
    // Not null: rows that are read here wait or have waited, and `requestRow` has set their `requestedArguments`.
    arguments: row.requestedArguments as string,
    preview: row.preview,
    ...(row.definition === null ? {} : { definition: { text: row.definition, change: row.definitionChange } }),
    requestedAt: row.requestedAt ?? row.createdAt,
    expiresAt: row.expiresAt,
    decision: decisionOfRow(row),
  };
}

function decisionOfRow(row: Row): ApprovalDecision | null {
  const { verdict, decidedBy, decidedAt } = row;
  if (verdict === null || decidedBy === null || decidedAt === null) return null;
  return { verdict, by: decidedBy, reason: row.reason, arguments: row.approvedArguments, at: decidedAt };
}

/**
 * Stores the results of waiting calls, all or none. $1 to $5 as in `appendMessages`, $6 the calls' message, $7 for each call
 * its id, its status and the message with its result. Returns one row; none if the lease is lost or the leaf is not the
 * expected one. Fails with a refused write (`isRefusedWrite`) if a call does not wait.
 */
const answerCalls = `${appendMessages()}, settled as (
  update tool_calls t
  set status = x.status, result_message_id = x.message_id, settled_at = now()
  from moved, jsonb_to_recordset($7::text::jsonb) as x (call_id text, status text, message_id uuid)
  where t.user_id = $1 and t.message_id = $6::uuid and t.call_id = x.call_id and t.conversation_id = $2::uuid
    and t.status in ('awaiting-result', 'awaiting-reply')
  returning 1
), continued as (${goOnWithTurnOf("$6")})
select refuse_unless((select count(*) from settled) = jsonb_array_length($7::text::jsonb))
from moved`;
