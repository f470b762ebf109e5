// Stores tool calls that wait for the user's approval, and the decisions.
// Invariant: a call waits or has a decision, never both, and the first of two decisions wins.
import { and, asc, eq, isNotNull } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../memory/records.ts";
import type { ApprovalStore, CallReference } from "../../memory/store.ts";
import type { Lease } from "../../memory/turn-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { requireLease } from "../conversations/conversation-faults.ts";
import { messages, toolCalls } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

type Row = typeof toolCalls.$inferSelect;

export function createApprovalStore({ userId, transaction, repeatable }: UserContext): ApprovalStore {
  return {
    request: (lease, approval) =>
      transaction((tx) =>
        move(tx, userId, {
          lease,
          call: approval,
          from: "pending",
          values: {
            status: "awaiting-approval",
            requestedAt: approval.requestedAt,
            expiresAt: approval.expiresAt,
            requestedArguments: storableText(approval.arguments),
          },
        }),
      ),
    decide: (lease, call, decision) =>
      transaction((tx) => move(tx, userId, { lease, call, from: "awaiting-approval", values: decisionRow(decision) })),
    ofMessage: (messageId) =>
      repeatable(async (tx) => {
        if (!isUuid(messageId)) return [];
        const rows = await tx.tables
          .select()
          .from(toolCalls)
          .where(
            and(eq(toolCalls.userId, userId), eq(toolCalls.messageId, messageId), isNotNull(toolCalls.requestedAt)),
          )
          .orderBy(asc(toolCalls.position));
        return rows.map(approvalOfRow);
      }),
    waiting: (agentId) =>
      repeatable(async (tx) => {
        await requireAgent(tx, userId, agentId);
        return waiting(tx, userId, agentId);
      }),
  };
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
  const moved = isUuid(messageId)
    ? await tx.tables
        .update(toolCalls)
        .set(values)
        .where(
          and(
            eq(toolCalls.userId, userId),
            eq(toolCalls.messageId, messageId),
            eq(toolCalls.callId, storableText(callId)),
            eq(toolCalls.conversationId, conversationId),
            eq(toolCalls.status, from),
          ),
        )
        .returning({ callId: toolCalls.callId })
    : [];
  if (moved.length > 0) return;
  throw new RequestError(
    "approval_not_found",
    from === "pending"
      ? "Expected a pending tool call of this conversation, got another. Load the conversation again."
      : "This tool call does not wait for approval: it was decided meanwhile, or does not exist.",
  );
}

function decisionRow({ verdict, by, reason, arguments: edited, at }: ApprovalDecision): Partial<Row> {
  return {
    status: "pending",
    verdict,
    decidedBy: by,
    reason: reason === null ? null : storableText(reason),
    approvedArguments: edited === null ? null : storableText(edited),
    decidedAt: at,
  };
}

// Reverted messages keep their waiting calls on the abandoned branch, where nobody is asked about them.
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

function approvalOfRow(row: Row): ApprovalRecord {
  return {
    conversationId: row.conversationId,
    messageId: row.messageId,
    callId: row.callId,
    toolName: row.name,
    // Set together with `requested_at`, by which the rows were chosen.
    arguments: row.requestedArguments as string,
    requestedAt: row.requestedAt as Date,
    expiresAt: row.expiresAt,
    decision: decisionOfRow(row),
  };
}

function decisionOfRow(row: Row): ApprovalDecision | null {
  const { verdict, decidedBy, decidedAt } = row;
  if (verdict === null || decidedBy === null || decidedAt === null) return null;
  return { verdict, by: decidedBy, reason: row.reason, arguments: row.approvedArguments, at: decidedAt };
}
