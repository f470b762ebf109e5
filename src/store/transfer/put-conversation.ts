// Stores a conversation of a transfer with all its branches, or adds the messages that it lacks.
// Invariant: a message is stored after its parent, at the position behind it; it is on the thread exactly if it is the leaf or an
// ancestor of it; a conversation that was continued here keeps its leaf.
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { TransferredCall, TransferredConversation, TransferredMessage } from "../../memory/transfer-store.ts";
import type { Transaction } from "../connection/transaction.ts";
import { rowOfMessage } from "../conversations/message-rows.ts";
import {
  endTransferred,
  findTransferred,
  placesOfMessages,
  putCalls,
  putCompactions,
  putConversation as putConversationRow,
  putMessages,
  setThread,
} from "../sql/put-transfer.ts";

/** Messages per statement: larger batches are not faster. */
const batchSize = 500;
/** UTF-16 units of text per statement, after which a batch ends: a statement is in memory several times. */
const batchLength = 4_000_000;

interface Place {
  readonly parentId: string | null;
  readonly position: number;
}

interface Target {
  readonly userId: string;
  readonly agentId: string;
}

/** Returns whether the conversation is new, and the number of new messages. Throws RequestError `input_invalid`. */
export async function putConversation(
  tx: Transaction,
  target: Target,
  conversation: TransferredConversation,
): Promise<{ readonly isNew: boolean; readonly messages: number }> {
  const { userId, agentId } = target;
  const { id, title, createdAt, updatedAt } = conversation;
  const storedTitle = title === null ? null : storableText(title);
  const created = await tx.run(putConversationRow, [userId, id, agentId, storedTitle, createdAt, updatedAt]);
  if (created.length > 0) {
    await fillConversation(tx, target, conversation);
    return { isNew: true, messages: conversation.messages.length };
  }
  return { isNew: false, messages: await addMessages(tx, target, conversation) };
}

async function fillConversation(tx: Transaction, target: Target, conversation: TransferredConversation): Promise<void> {
  const { id, leafId, messages, compactions, updatedAt } = conversation;
  const places = new Map<string, Place>();
  addPlaces(places, messages);
  if (leafId !== null && !places.has(leafId)) throw unknown("the current message of a conversation");
  const thread = new Set(pathTo(leafId, places));
  await insertMessages(tx, { ...target, conversation }, { added: messages, places, thread });
  const parameters = [target.userId, target.agentId, id];
  await insertAll(tx, putCompactions, { parameters, rows: compactions });
  const version = compactions.reduce((last, { windowVersion }) => Math.max(last, windowVersion), 0);
  await tx.run(endTransferred, [target.userId, id, leafId, positionOf(leafId, places), version, updatedAt]);
}

/** Returns the number of new messages. */
async function addMessages(tx: Transaction, target: Target, conversation: TransferredConversation): Promise<number> {
  const { id, updatedAt } = conversation;
  const stored = await findStored(tx, target, id);
  const places = await placesIn(tx, target.userId, id);
  const added = conversation.messages.filter((message) => !places.has(message.id));
  if (added.length === 0) return 0;
  addPlaces(places, added);
  const leafId = nextLeaf(stored, { conversation, added });
  const thread = new Set(pathTo(leafId, places));
  await insertMessages(tx, { ...target, conversation }, { added, places, thread });
  await tx.run(setThread, [target.userId, id, JSON.stringify([...thread])]);
  await tx.run(endTransferred, [target.userId, id, leafId, positionOf(leafId, places), 0, updatedAt]);
  return added.length;
}

interface TransferredRow {
  readonly agent_id: string;
  readonly leaf_id: string | null;
  readonly is_busy: boolean;
}

async function findStored(tx: Transaction, { userId, agentId }: Target, id: string): Promise<TransferredRow> {
  const [found] = await tx.run<TransferredRow>(findTransferred, [userId, id]);
  if (found?.agent_id === agentId) return found;
  throw new RequestError("input_invalid", "A conversation of this id belongs to another agent. Nothing was stored.");
}

async function placesIn(tx: Transaction, userId: string, conversationId: string): Promise<Map<string, Place>> {
  type Row = { readonly id: string; readonly parent_id: string | null; readonly position: number };
  const rows = await tx.run<Row>(placesOfMessages, [userId, conversationId]);
  return new Map(rows.map((row) => [row.id, { parentId: row.parent_id, position: row.position }]));
}

interface NextLeaf {
  readonly conversation: TransferredConversation;
  readonly added: readonly TransferredMessage[];
}

/** The given leaf if it is new and the stored one came from the same place; otherwise the stored one. */
function nextLeaf({ leaf_id: stored, is_busy: isBusy }: TransferredRow, { conversation, added }: NextLeaf) {
  const isContinued = stored !== null && !conversation.messages.some(({ id }) => id === stored);
  const isNewLeaf = added.some(({ id }) => id === conversation.leafId);
  return isContinued || isBusy || !isNewLeaf ? stored : conversation.leafId;
}

function addPlaces(places: Map<string, Place>, messages: readonly TransferredMessage[]): void {
  for (const { id, parentId } of messages) {
    const parent = parentId === null ? undefined : places.get(parentId);
    if (parentId !== null && parent === undefined) throw unknown("the parent of a message");
    places.set(id, { parentId, position: (parent?.position ?? 0) + 1 });
  }
}

function positionOf(id: string | null, places: ReadonlyMap<string, Place>): number {
  return id === null ? 0 : (places.get(id)?.position ?? 0);
}

function* pathTo(leafId: string | null, places: ReadonlyMap<string, Place>): Generator<string> {
  for (let id = leafId; id !== null; id = places.get(id)?.parentId ?? null) yield id;
}

interface Added {
  readonly added: readonly TransferredMessage[];
  readonly places: ReadonlyMap<string, Place>;
  readonly thread: ReadonlySet<string>;
}

async function insertMessages(
  tx: Transaction,
  { userId, agentId, conversation }: Target & { readonly conversation: TransferredConversation },
  { added, places, thread }: Added,
): Promise<void> {
  for (const batch of inBatches(added)) {
    const rows = batch.map((message) => {
      const row = rowOfMessage(storedMessage(message));
      const searched = message.isRecalled ? {} : { search_text: null, terms: null };
      return {
        ...row,
        ...searched,
        position: places.get(message.id)?.position ?? 0,
        on_thread: thread.has(message.id),
      };
    });
    await tx.run(putMessages, [userId, agentId, conversation.id, storableJson(rows)]);
  }
  await insertAll(tx, putCalls, { parameters: [userId, agentId, conversation.id], rows: added.flatMap(callsOf) });
}

function* inBatches(messages: readonly TransferredMessage[]): Generator<readonly TransferredMessage[]> {
  let batch: TransferredMessage[] = [];
  let length = 0;
  for (const message of messages) {
    batch.push(message);
    length += message.text.length;
    if (batch.length < batchSize && length < batchLength) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

function storedMessage({
  speaker,
  at,
  calls: _calls,
  isRecalled: _isRecalled,
  ...message
}: TransferredMessage): StoredMessage {
  return { ...message, ...(speaker === null ? {} : { speaker }), at: new Date(at) };
}

function callsOf({ id, calls }: TransferredMessage) {
  return calls.map((call: TransferredCall, position) => ({ ...call, messageId: id, position }));
}

async function insertAll(
  tx: Transaction,
  statement: string,
  { parameters, rows }: { readonly parameters: readonly string[]; readonly rows: readonly object[] },
): Promise<void> {
  for (let from = 0; from < rows.length; from += batchSize) {
    await tx.run(statement, [...parameters, storableJson(rows.slice(from, from + batchSize))]);
  }
}

function unknown(what: string): RequestError {
  return new RequestError("input_invalid", `Expected ${what} to be stored or given, got an unknown id.`);
}
