// Stores and reads whole agents, for agent files and for imports from other programs.
// Invariant: a constraint or policy that refuses a row refuses the transfer, and the message contains nothing of it.
import { RequestError } from "../../base/errors.ts";
import type { TransferStore } from "../port/transfer-store.ts";
import type { UserContext } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { idsInUse } from "../sql/read-transfer.ts";
import { isUuid } from "../uuid.ts";
import { addTexts, countTexts } from "./add-texts.ts";
import { putTransfer } from "./put-transfer.ts";
import { readConversation, readHeld, readPassages } from "./read-transfer.ts";

export function createTransferStore({ userId, repeatable }: UserContext): TransferStore {
  return {
    idsInUse: (ids) =>
      repeatable(async (tx) => {
        const rows = await tx.run<{ readonly id: string }>(idsInUse, [userId, JSON.stringify(ids.filter(isUuid))]);
        return rows.map(({ id }) => id);
      }),
    held: (agentId) => repeatable((tx) => readHeld(tx, userId, agentId)),
    conversation: (conversationId) => repeatable((tx) => readConversation(tx, userId, conversationId)),
    passages: (agentId, after, limit) => repeatable((tx) => readPassages(tx, userId, { agentId, after, limit })),
    // Repeatable, because rows that an earlier attempt has stored stay as they are.
    put: (transfer) => repeatable((tx) => putTransfer(tx, userId, transfer)).catch(refused),
    add: (agentId, texts) => repeatable((tx) => addTexts(tx, { userId, agentId, texts })).catch(refused),
    countNew: (agentId, texts) => repeatable((tx) => countTexts(tx, { userId, agentId, texts })),
  };
}

/** SQLSTATE classes of values and constraints, and of a policy that refuses a row. */
const faultsOfRows = /^(?:22|23|42501)/u;

function refused(error: unknown): never {
  const state = sqlStateOf(error);
  if (state === null || state === undefined || !faultsOfRows.test(state)) throw error;
  throw new RequestError(
    "input_invalid",
    `The database refuses a row of the transfer (${state}): it contradicts another one, or names something that does not exist. Nothing was stored.`,
    { cause: { code: state } },
  );
}
