// Stores and reads whole agents, for agent files and for imports from other programs.
// Invariant: if a constraint or policy refuses a row, the transfer is refused, with an error that contains nothing of the row.
// Existing rows are unchanged, so that a transfer can be repeated.
import { RequestError } from "../../base/errors.ts";
import type { AddedTexts, TransferredTexts, TransferStore } from "../port/transfer-store.ts";
import type { UserContext } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { putPassagesOf, putTransfer } from "./put-transfer.ts";
import { idsInUse, readConversation, readHeld, readPassages } from "./read-transfer.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { contentHash } from "../archive/passage-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { putConversations } from "./put-conversations.ts";

export function createTransferStore({ userId, repeatable }: UserContext): TransferStore {
  return {
    idsInUse: (ids) =>
      repeatable(async (tx) => {
        const rows = await tx.run<{ readonly id: string }>(idsInUse, [userId, ids]);
        return rows.map(({ id }) => id);
      }),
    held: (agentId) => repeatable((tx) => readHeld(tx, userId, agentId)),
    conversation: (conversationId) => repeatable((tx) => readConversation(tx, userId, conversationId)),
    passages: (agentId, after, limit) => repeatable((tx) => readPassages(tx, userId, { agentId, after, limit })),
    // These writes can be repeated, because rows that an earlier attempt has stored are not changed.
    put: (transfer) => repeatable((tx) => putTransfer(tx, userId, transfer)).catch(refused),
    add: (agentId, texts) => repeatable((tx) => addTexts(tx, { userId, agentId, texts })).catch(refused),
    countNew: (agentId, texts) => repeatable((tx) => countTexts(tx, { userId, agentId, texts })),
  };
}

/** SQLSTATE classes for invalid values and violated constraints, and the SQLSTATE of a policy that refuses a row. */
const faultsOfRows = /^(?:22|23|42501)/u;

function refused(error: unknown): never {
  const state = sqlStateOf(error);
  if (state === null || state === undefined || !faultsOfRows.test(state)) throw error;
  throw new RequestError(
    "input_invalid",
    `The database refuses a row of the transfer (${state}): it contradicts another row, or names something that does not exist. Nothing was stored.`,
    { cause: { code: state } },
  );
}

interface TextsRequest {
  readonly userId: string;
  readonly agentId: string;
  readonly texts: TransferredTexts;
}

/** Stores texts with an agent. Throws RequestError `agent_not_found`, `grant_ended` and `input_invalid`. */
async function addTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const added = await putConversations(tx, { userId, agentId }, texts.conversations);
  return { ...added, passages: await putPassagesOf(tx, [userId, agentId, null], texts.passages) };
}

/** Returns how many of the texts are new. Throws RequestError `agent_not_found` and `grant_ended`. */
async function countTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const conversations = texts.conversations.map(({ id }) => id);
  const messages = texts.conversations.flatMap((conversation) => conversation.messages.map(({ id }) => id));
  const passages = texts.passages.map(({ id, text }) => ({ id, hash: contentHash(text) }));
  const parameters = [userId, agentId, conversations, messages, passages];
  const [counted] = await tx.run<AddedTexts>(countMissing, parameters);
  return counted!;
}

/**
 * $1 user, $2 agent; $3 ids of conversations, $4 ids of messages, $5 passages with `id` and `hash`, the SHA-256 of their
 * content in hexadecimal digits. A passage counts as stored if its id or its content is.
 */
const countMissing = `
select
  (select count(*) from jsonb_array_elements_text($3::text::jsonb) g
    where not exists (select from conversations x where x.user_id = $1 and x.id = g::uuid))::int as conversations,
  (select count(*) from jsonb_array_elements_text($4::text::jsonb) g
    where not exists (select from messages x where x.user_id = $1 and x.id = g::uuid))::int as messages,
  (select count(*) from jsonb_to_recordset($5::text::jsonb) as g (id uuid, hash text)
    where not exists (select from passages x where x.user_id = $1 and x.id = g.id)
      and not exists (
        select from passages x where x.user_id = $1 and x.archive_id = $2::uuid and x.content_hash = decode(g.hash, 'hex')
      ))::int as passages`;
