// Finds turns that a process has left, and records that they go on.
// Invariant: a turn is left if it has no end and no running process holds the lease of its conversation.
import type { LeftTurnStore } from "../port/left-turn-store.ts";
import type { QueuedInput, TurnTerms } from "../port/turn-store.ts";
import type { Database, UserContext } from "../connection/database.ts";
import { nobody } from "../connection/runtime-role.ts";
import {
  findAskedTurn,
  findQueuedInput,
  keepLeftInputs,
  listLeftTurns,
  reopenTurn,
  termParameters,
} from "../sql/left-turns.ts";
import { adoptionMs } from "../sql/sender-waits.ts";
import { isUuid } from "../uuid.ts";
import { isHolderGone } from "./lease-store.ts";

export function createLeftTurnStore({ userId, statement }: UserContext): LeftTurnStore {
  return {
    async find(turnId) {
      if (!isUuid(turnId)) return null;
      const [row] = await statement<AskedRow>(findAskedTurn, [userId, turnId]);
      if (row === undefined) return null;
      const options = JSON.parse(row.options) as TurnTerms["options"];
      return { terms: { options, isServed: row.is_served }, continued: row.continued, stopReason: row.stop_reason };
    },
    async input(conversationId, turnId) {
      if (!isUuid(conversationId) || !isUuid(turnId)) return null;
      const [row] = await statement<Pick<QueuedInput, "messages">>(findQueuedInput, [userId, conversationId, turnId]);
      return row === undefined ? null : { turnId, messages: row.messages };
    },
    async reopen({ conversationId, fence }, { turnId, terms, isContinued }) {
      const [row] = await statement<{ readonly last: number }>(reopenTurn, [
        userId,
        conversationId,
        fence,
        turnId,
        ...termParameters(terms),
        isContinued,
      ]);
      return row?.last ?? 0;
    },
    async list(conversationId) {
      if (conversationId !== null && !isUuid(conversationId)) return [];
      const rows = await statement<LeftRow>(listLeftTurns, [userId, conversationId]);
      return rows.filter(({ holder }) => holder === null || isHolderGone(holder)).map(leftOfRow);
    },
    async keepInputs(conversationId) {
      if (isUuid(conversationId)) await statement(keepLeftInputs, [userId, conversationId]);
    },
  };
}

interface AskedRow {
  readonly options: string;
  readonly is_served: boolean;
  readonly continued: number;
  readonly stop_reason: string | null;
}

interface LeftRow {
  readonly turn_id: string;
  readonly agent_id: string;
  readonly conversation_id: string;
  readonly is_queued: boolean;
  readonly holder: string | null;
}

function leftOfRow({
  turn_id: turnId,
  agent_id: agentId,
  conversation_id: conversationId,
  is_queued: isQueued,
}: LeftRow) {
  return { turnId, agentId, conversationId, isQueued };
}

/** Returns the users who have turns to continue. `andHeld`: also those whose lease has not expired. */
export async function usersWithLeftTurns(database: Database, andHeld: boolean): Promise<readonly string[]> {
  const statement = "select user_id from users_with_left_turns($1, $2) order by user_id";
  const found = await database.transaction(
    nobody,
    (tx) => tx.runLast<{ readonly user_id: string }>(statement, [andHeld, adoptionMs]),
    { isRepeatable: true },
  );
  return found.map(({ user_id: userId }) => userId);
}
