// Finds unfinished turns, and records that they resume.
// Invariant: an unfinished turn has no end, and no running process holds the lease of its conversation.
import type { Database, UserContext } from "../connection/database.ts";
import { nobody } from "../connection/runtime-role.ts";
import type { AskedTurn, UnfinishedTurn, UnfinishedTurnStore } from "../port/unfinished-turn-store.ts";
import type { QueuedInput, TurnTerms } from "../port/turn-store.ts";
import {
  adoptionMs,
  findAskedTurn,
  findQueuedInput,
  keepWaitingInputs,
  listUnfinishedTurns,
  reopenParameters,
  reopenTurn,
} from "../sql/unfinished-turns.ts";
import { isHolderGone } from "./lease-store.ts";

export function createUnfinishedTurnStore({ userId, statement }: UserContext): UnfinishedTurnStore {
  return {
    async find(turnId) {
      const [row] = await statement<Omit<AskedTurn, "terms"> & TurnTerms>(findAskedTurn, [userId, turnId]);
      if (row === undefined) return null;
      const { options, isServed, ...asked } = row;
      return { ...asked, terms: { options, isServed } };
    },
    async input(conversationId, turnId) {
      const [row] = await statement<Pick<QueuedInput, "messages">>(findQueuedInput, [userId, conversationId, turnId]);
      return row === undefined ? null : { turnId, messages: row.messages };
    },
    async reopen(lease, turn) {
      const [row] = await statement<{ readonly last: number }>(reopenTurn, reopenParameters(userId, lease, turn));
      return row?.last ?? 0;
    },
    async list(conversationId) {
      type Row = UnfinishedTurn & { readonly holder: string | null };
      const rows = await statement<Row>(listUnfinishedTurns, [userId, conversationId]);
      return rows.flatMap(({ holder, ...turn }) => (holder === null || isHolderGone(holder) ? [turn] : []));
    },
    keepInputs: async (conversationId) => void (await statement(keepWaitingInputs, [userId, conversationId])),
  };
}

/** Returns the users who have turns to continue. `andHeld`: also counts turns under a lease that has not expired. */
export async function usersWithUnfinishedTurns(database: Database, andHeld: boolean): Promise<readonly string[]> {
  const statement = "select user_id from users_with_unfinished_turns($1, $2) order by user_id";
  const found = await database.transaction(
    nobody,
    (tx) => tx.runLast<{ readonly user_id: string }>(statement, [andHeld, adoptionMs]),
    { isRepeatable: true },
  );
  return found.map(({ user_id: userId }) => userId);
}
