// Reads turns, their messages and their model calls.
// Invariant: read-only but for what a turn's caller keeps with it.
import { storableJson } from "../../base/code-points.ts";
import type { TurnQuery, TurnRecord, TurnRecordStore, TurnStep, StepQuery } from "../port/turn-record-store.ts";
import type { UserContext } from "../connection/database.ts";
import { messageOfRow, type MessageRow } from "../conversations/message-rows.ts";
import { keysetOf } from "../list-range.ts";
import { findStepById, findTurn, listSteps, listTurns, messagesOfTurn } from "../sql/turn-records.ts";
import { isUuid } from "../uuid.ts";
import { timeOf } from "../stored-times.ts";

export function createTurnRecordStore({ userId, statement }: UserContext): TurnRecordStore {
  return {
    list: (query) => list({ userId, statement }, query),
    async find(id) {
      if (!isUuid(id)) return null;
      const [row] = await statement<TurnRow>(findTurn, [userId, id]);
      return row === undefined ? null : turnOfRow(row);
    },
    async update(id, { isBackground = null, metadata }) {
      if (!isUuid(id)) return false;
      const kept = metadata === undefined ? null : storableJson(metadata);
      return (await statement(keepWithTurn, [userId, id, isBackground, kept])).length > 0;
    },
    async messages(id) {
      if (!isUuid(id)) return [];
      return (await statement<MessageRow>(messagesOfTurn, [userId, id])).map(messageOfRow);
    },
    steps: (query) => steps({ userId, statement }, query),
    async findStep(id) {
      if (!isUuid(id)) return null;
      const [row] = await statement<TurnStepRow>(findStepById, [userId, id]);
      return row === undefined ? null : stepOfRow(row);
    },
  };
}

type Statements = Pick<UserContext, "userId" | "statement">;

const keepWithTurn = `
update turns set is_background = coalesce($3::boolean, is_background), metadata = coalesce($4::text, metadata)
where user_id = $1 and id = $2::uuid
returning 1`;

async function list({ userId, statement }: Statements, query: TurnQuery): Promise<readonly TurnRecord[]> {
  const { agentId = null, conversationId = null, states, stopReason = null, isBackground = null, limit } = query;
  if ([agentId, conversationId].some((id) => id !== null && !isUuid(id))) return [];
  const { newerThan, olderThan, direction, inOrder } = keysetOf(query);
  const wanted = states === undefined ? null : JSON.stringify(states);
  const filters = [agentId, conversationId, wanted, stopReason, isBackground];
  const rows = await statement<TurnRow>(listTurns(direction), [userId, ...filters, newerThan, olderThan, limit]);
  return inOrder(rows.map(turnOfRow));
}

async function steps({ userId, statement }: Statements, query: StepQuery): Promise<readonly TurnStep[]> {
  const { agentId = null, turnId = null, limit } = query;
  if ([agentId, turnId].some((id) => id !== null && !isUuid(id))) return [];
  const { newerThan, olderThan, direction, inOrder } = keysetOf(query);
  const rows = await statement<TurnStepRow>(listSteps(direction), [
    userId,
    agentId,
    turnId,
    newerThan,
    olderThan,
    limit,
  ]);
  return inOrder(rows.map(stepOfRow));
}

interface TurnRow {
  readonly id: string;
  readonly agent_id: string;
  readonly conversation_id: string;
  readonly state: TurnRecord["state"];
  readonly stop_reason: string | null;
  readonly error_code: string | null;
  readonly is_background: boolean;
  readonly metadata: string;
  readonly created_at: string;
  readonly ended_at: string | null;
}

function turnOfRow(row: TurnRow): TurnRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    conversationId: row.conversation_id,
    state: row.state,
    stopReason: row.stop_reason,
    errorCode: row.error_code,
    isBackground: row.is_background,
    metadata: JSON.parse(row.metadata) as TurnRecord["metadata"],
    createdAt: timeOf(row.created_at),
    endedAt: row.ended_at === null ? null : timeOf(row.ended_at),
  };
}

interface TurnStepRow {
  readonly id: string;
  readonly agent_id: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly message_id: string;
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens: number;
  readonly report: TurnStep["report"];
  readonly created_at: string;
}

function stepOfRow(row: TurnStepRow): TurnStep {
  return {
    id: row.id,
    agentId: row.agent_id,
    conversationId: row.conversation_id,
    turnId: row.turn_id,
    messageId: row.message_id,
    number: row.number,
    model: row.model,
    finish: row.finish,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
    },
    report: row.report,
    at: timeOf(row.created_at),
  };
}
