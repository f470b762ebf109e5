// Stores conversations of a transfer with all their branches, or adds missing messages to stored conversations.
// Invariant: a message is stored after its parent, at the next position. It is on the thread if and only if it is the leaf
// or an ancestor of the leaf. A conversation that was continued in this store keeps its leaf.
import { inBatches } from "../../base/lists.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../port/records.ts";
import type {
  AddedTexts,
  TransferredCall,
  TransferredConversation,
  TransferredMessage,
} from "../port/transfer-store.ts";
import type { Whose } from "../agents/module-changes.ts";
import type { Transaction } from "../connection/transaction.ts";
import { rowOfMessage } from "../conversations/message-rows.ts";
import {
  answerClosed,
  endTransferred,
  findTransferred,
  incompleteConversations,
  placesOfMessages,
  putCalls,
  putCompactions,
  putConversations as putConversationRows,
  putMessages,
  setThread,
} from "../sql/put-transfer.ts";

/** Messages per statement: larger batches are not faster. */
const batchSize = 500;
/** UTF-16 units of text after which a batch ends: the limit is small, because memory holds several copies of a statement. */
const batchLength = 4_000_000;

interface Place {
  readonly parentId: string | null;
  readonly position: number;
}

/** How many conversations and messages were new. */
type PutCounts = Omit<AddedTexts, "passages">;

/** Stores the conversations, and returns how many rows were new. Throws RequestError `input_invalid`. */
export async function putConversations(
  tx: Transaction,
  target: Whose,
  conversations: readonly TransferredConversation[],
): Promise<PutCounts> {
  if (conversations.length === 0) return { conversations: 0, messages: 0 };
  const { userId, agentId } = target;
  const rows = conversations.map(({ id, title, createdAt, updatedAt }) => ({ id, title, createdAt, updatedAt }));
  const created = await tx.run<IdRow>(putConversationRows, [userId, agentId, rows]);
  const newIds = new Set(created.map(({ id }) => id));
  const fresh: TransferredConversation[] = [];
  const known: TransferredConversation[] = [];
  // A conversation that the transfer contains twice counts as new only once.
  for (const conversation of conversations) (newIds.delete(conversation.id) ? fresh : known).push(conversation);
  await fillConversations(tx, target, fresh);
  let messages = fresh.reduce((sum, conversation) => sum + conversation.messages.length, 0);
  for (const conversation of await incomplete(tx, target, known)) {
    messages += await addMessages(tx, target, conversation);
  }
  return { conversations: fresh.length, messages };
}

interface IdRow {
  readonly id: string;
}

async function incomplete(
  tx: Transaction,
  { userId, agentId }: Whose,
  known: readonly TransferredConversation[],
): Promise<readonly TransferredConversation[]> {
  if (known.length === 0) return known;
  const given = known.map(({ id, messages }) => ({ id, messages: messages.map((message) => message.id) }));
  const rows = await tx.run<IdRow>(incompleteConversations, [userId, agentId, given]);
  const ids = new Set(rows.map(({ id }) => id));
  return known.filter(({ id }) => ids.has(id));
}

async function fillConversations(
  tx: Transaction,
  target: Whose,
  conversations: readonly TransferredConversation[],
): Promise<void> {
  if (conversations.length === 0) return;
  const { userId, agentId } = target;
  const ends = conversations.map(({ id, updatedAt, leafId, compactions }) => {
    const version = compactions.reduce((last, { windowVersion }) => Math.max(last, windowVersion), 0);
    return { id, leafId, position: 0, version, updatedAt };
  });
  const rows = conversations.map(({ id, leafId, messages }, index) => {
    const places = new Map<string, Place>();
    addPlaces(places, messages);
    if (leafId !== null && !places.has(leafId)) throw unknown("the current message of a conversation");
    ends[index]!.position = positionOf(leafId, places);
    return { id, added: messages, places, thread: new Set(pathTo(leafId, places)) };
  });
  await insertMessages(tx, target, rows);
  for (const { id, compactions } of conversations) {
    const given = compactions.map(({ usage, ...compaction }) => ({ ...compaction, ...usage }));
    await insertAll(tx, putCompactions, { parameters: [userId, agentId, id], rows: given });
  }
  await tx.run(endTransferred, [userId, ends]);
}

/** Adds messages that are not stored yet, and returns their number. */
async function addMessages(tx: Transaction, target: Whose, conversation: TransferredConversation): Promise<number> {
  const { id, updatedAt } = conversation;
  const stored = await findStored(tx, target, id);
  const places = await placesIn(tx, target.userId, id);
  const added = conversation.messages.filter((message) => !places.has(message.id));
  if (added.length === 0) return 0;
  addPlaces(places, added);
  const leafId = nextLeaf(stored, { conversation, added });
  const thread = new Set(pathTo(leafId, places));
  await insertMessages(tx, target, [{ id, added, places, thread }]);
  if (conversation.closingId !== undefined && stored.leafId === conversation.closingId && leafId !== stored.leafId) {
    const calls = conversation.messages.flatMap(callsOf);
    await tx.run(answerClosed, [target.userId, id, conversation.closingId, calls]);
  }
  await tx.run(setThread, [target.userId, id, [...thread]]);
  const end = { id, leafId, position: positionOf(leafId, places), version: 0, updatedAt };
  await tx.run(endTransferred, [target.userId, [end]]);
  return added.length;
}

interface TransferredRow {
  readonly agentId: string;
  readonly leafId: string | null;
  readonly isBusy: boolean;
}

async function findStored(tx: Transaction, { userId, agentId }: Whose, id: string): Promise<TransferredRow> {
  const [found] = await tx.run<TransferredRow>(findTransferred, [userId, id]);
  if (found?.agentId === agentId) return found;
  throw new RequestError("input_invalid", "A conversation with this id belongs to another agent. Nothing was stored.");
}

async function placesIn(tx: Transaction, userId: string, conversationId: string): Promise<Map<string, Place>> {
  const rows = await tx.run<Place & IdRow>(placesOfMessages, [userId, conversationId]);
  return new Map(rows.map((row) => [row.id, row]));
}

interface NextLeaf {
  readonly conversation: TransferredConversation;
  readonly added: readonly TransferredMessage[];
}

/**
 * Returns the transfer's leaf if it is a new message, the stored conversation was not continued in this store, and no turn
 * runs in it; otherwise the stored leaf.
 */
function nextLeaf({ leafId: stored, isBusy }: TransferredRow, { conversation, added }: NextLeaf) {
  const isTransferred = stored === conversation.closingId || conversation.messages.some(({ id }) => id === stored);
  const isContinued = stored !== null && !isTransferred;
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
  readonly id: string;
  readonly added: readonly TransferredMessage[];
  readonly places: ReadonlyMap<string, Place>;
  readonly thread: ReadonlySet<string>;
}

async function insertMessages(tx: Transaction, { userId, agentId }: Whose, added: readonly Added[]): Promise<void> {
  for (const batch of messageBatches(added)) {
    const rows = batch.map(({ message, id, places, thread }) => ({
      ...rowOfMessage(storedMessage(message)),
      ...(message.isRecalled ? {} : { searchText: null, terms: null }),
      conversationId: id,
      position: places.get(message.id)?.position ?? 0,
      onThread: thread.has(message.id),
    }));
    await tx.run(putMessages, [userId, agentId, rows]);
  }
  for (const { id, added: messages } of added) {
    await insertAll(tx, putCalls, { parameters: [userId, agentId, id], rows: messages.flatMap(callsOf) });
  }
}

type AddedMessage = Omit<Added, "added"> & { readonly message: TransferredMessage };

function* messageBatches(added: readonly Added[]): Generator<readonly AddedMessage[]> {
  let batch: AddedMessage[] = [];
  let length = 0;
  for (const { added: messages, ...conversation } of added) {
    for (const message of messages) {
      batch.push({ ...conversation, message });
      length += message.text.length;
      if (batch.length < batchSize && length < batchLength) continue;
      yield batch;
      batch = [];
      length = 0;
    }
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
  for (const batch of inBatches(rows, batchSize)) await tx.run(statement, [...parameters, batch]);
}

function unknown(what: string): RequestError {
  return new RequestError("input_invalid", `Expected ${what} to be stored or in the import, got an unknown id.`);
}
