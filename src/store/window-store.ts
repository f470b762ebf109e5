// What models were sent: the snapshot of core memory in a conversation's prompt, and the log of its calls.
// Invariant: the snapshot is written under the conversation's lease alone.
import type { ContextReport } from "../memory/context-report.ts";
import type { MemorySnapshot } from "../memory/records.ts";
import type { Lease } from "../memory/turn-store.ts";
import type { LoggedStep, WindowStore } from "../memory/window-store.ts";
import { conversationNotFound, refusedWrite, requireConversation } from "./conversation-faults.ts";
import { storableJson } from "./storable-json.ts";
import type { Transaction } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";
import { isUuid } from "./uuid.ts";

export function createWindowStore({ userId, transaction }: UserContext): WindowStore {
  return {
    saveSnapshot: (lease, snapshot) => transaction((tx) => saveSnapshot(tx, userId, { lease, snapshot })),
    steps: (conversationId, limit) =>
      transaction((tx) => steps(tx, userId, { conversationId, tail: "order by id desc limit $3::int", number: limit })),
    step: (conversationId, ordinal) =>
      transaction(async (tx) => {
        const tail = "where ordinal = $3::int";
        const [found] = await steps(tx, userId, { conversationId, tail, number: ordinal });
        return found ?? null;
      }),
  };
}

async function saveSnapshot(
  tx: Transaction,
  userId: string,
  { lease, snapshot }: { readonly lease: Lease; readonly snapshot: MemorySnapshot },
): Promise<void> {
  const { conversationId, fence } = lease;
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const saved = await tx.run(
    `update conversations set memory_snapshot = $4::text::jsonb
     where user_id = $1 and id = $2::uuid and lease_fence = $3::int returning 1`,
    [userId, conversationId, fence, storableJson(snapshot)],
  );
  if (saved.length === 0) throw await refusedWrite(tx, userId, lease);
}

interface StepRow {
  readonly id: string;
  readonly ordinal: number;
  readonly turn_id: string;
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens: number;
  readonly report: ContextReport;
  readonly created_at: string;
}

interface StepsWanted {
  readonly conversationId: string;
  readonly tail: string;
  readonly number: number;
}

async function steps(
  tx: Transaction,
  userId: string,
  { conversationId, tail, number }: StepsWanted,
): Promise<readonly LoggedStep[]> {
  await requireConversation(tx, userId, conversationId);
  const rows = await tx.run<StepRow>(
    `select * from (
       select s.*, row_number() over (order by id)::int as ordinal
       from steps s where user_id = $1 and conversation_id = $2::uuid
     ) s ${tail}`,
    [userId, conversationId, number],
  );
  return rows.map((row) => ({
    id: row.id,
    ordinal: row.ordinal,
    turnId: row.turn_id,
    number: row.number,
    model: row.model,
    finish: row.finish,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
    },
    report: row.report,
    at: new Date(row.created_at),
  }));
}
