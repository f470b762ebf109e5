// Stores what a turn writes: its start, its messages, replies and tool results, and edits of memory.
// Invariant: each write is one transaction of one statement under the conversation's lease, plus one statement if messages have
// files. A write of messages moves the leaf by compare-and-swap. The cost of a write does not depend on the conversation's
// length. Each write can be retried: if it was committed before, it succeeds without writing, so a lost answer neither
// duplicates nor drops anything.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { hasFiles, toolCallsOf } from "../../base/message/message.ts";
import { changeCause, changeRows, refusedChange, requireAllEdited } from "../agents/module-changes.ts";
import { passageRows } from "../archive/passage-rows.ts";
import type { UserContext } from "../connection/database.ts";
import { isRefusedWrite } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { attachFiles } from "../conversations/attachment-store.ts";
import { refusedWrite, requireOpenConversation } from "../conversations/conversation-faults.ts";
import { rowsOfMessages } from "../conversations/message-rows.ts";
import type { StoredMessage } from "../port/records.ts";
import type { SearchableMemory } from "../port/searchable-memory.ts";
import {
  type BegunTurn,
  inputRepeated,
  type Lease,
  type MemoryCommit,
  noTerms,
  type ReplyCommit,
  type ToolResultCommit,
  type TurnBeginning,
  type TurnStore,
} from "../port/turn-store.ts";
import { appendToThread } from "../sql/append-messages.ts";
import { beginTurn, readBegun } from "../sql/begin-turn.ts";
import { commitMemory, countRevised } from "../sql/change-modules.ts";
import { commitLastReply, commitReply, commitReplyWithResult, commitToolResult } from "../sql/commit-reply.ts";
import { eventParameters } from "../sql/keep-events.ts";
import { thisHolder } from "../../base/lock-holder.ts";

export function createTurnStore(context: UserContext): TurnStore {
  const { userId, repeatable } = context;
  return {
    begin: async (turn) => (await begin(context, turn)) ?? repeatable((tx) => findBegun(tx, userId, turn)),
    commitReply: (reply) => storeReply(context, reply),
    commitToolResult: (result) => storeToolResult(context, result),
    append: (lease, messages) => append(context, { lease, messages }),
    commitMemory: (edit) => repeatable((tx) => storeMemory(tx, userId, edit)),
  };
}

interface BegunRow {
  readonly fence: number;
  readonly windowVersion: number;
  /** Null in a row of `readBegun`, which is read if the database's answer to the first attempt was lost. */
  readonly searchable: SearchableMemory | null;
  readonly label: string | null;
  readonly moduleId: string;
  readonly revision: number;
  readonly version: number;
}

/** Starts a turn. Returns null if nothing was written; `findBegun` then finds out why. */
async function begin({ userId, repeatable, statement }: UserContext, turn: TurnBeginning): Promise<BegunTurn | null> {
  const { conversationId, lease, leafId, terms: { options, isServed } = noTerms } = turn;
  const parameters = [
    userId,
    conversationId,
    leafId,
    rowsOfMessages(turn.messages, leafId),
    ...leaseParameters(lease),
    turn.ttlMs,
    turn.inputs.map(({ idempotencyKey, messageId, isAdopted = false }) => ({
      key: idempotencyKeyOf(idempotencyKey),
      message_id: messageId,
      is_adopted: isAdopted,
    })),
    turn.known,
    options,
    isServed,
    turn.expected?.version ?? null,
    turn.expected?.keyId ?? null,
  ];
  const rows = hasFiles(turn.messages)
    ? await repeatable(async (tx) => {
        const begun = await tx.run<BegunRow>(beginTurn, parameters);
        if (begun.length > 0) await attachFiles(tx, userId, turn);
        return begun;
      })
    : await statement<BegunRow>(beginTurn, parameters);
  return begunOf(conversationId, rows);
}

/** Returns two SQL parameters: the fence and null for a held lease, or null and the new holder for a lease to be taken. */
function leaseParameters(lease: TurnBeginning["lease"]): readonly [fence: number | null, holder: string | null] {
  return "fence" in lease ? [lease.fence, null] : [null, holderText(lease.claimant)];
}

function begunOf(conversationId: string, rows: readonly BegunRow[]): BegunTurn | null {
  const [begun] = rows;
  if (begun === undefined) return null;
  const modules = rows.flatMap((row) =>
    row.label === null ? [] : [{ label: row.label, id: row.moduleId, revision: row.revision, version: row.version }],
  );
  return {
    lease: { conversationId, fence: begun.fence },
    windowVersion: begun.windowVersion,
    modules,
    searchable: begun.searchable,
  };
}

/**
 * Finds out why `begin` wrote nothing. Returns the begun turn if an earlier attempt has committed it and only its answer was
 * lost; null if the turn cannot begin now, for example because another process holds the lease. Throws the same errors as
 * `TurnStore.begin`.
 */
async function findBegun(tx: Transaction, userId: string, turn: TurnBeginning): Promise<BegunTurn | null> {
  const { conversationId, lease } = turn;
  const earlier = await readBegunTurn(tx, userId, turn);
  if (earlier !== null || turn.expected !== undefined) return earlier;
  const keys = turn.inputs.map(({ idempotencyKey }) => idempotencyKeyOf(idempotencyKey));
  await requireNewInputs(tx, userId, { conversationId, keys });
  if (!("fence" in lease)) return null;
  const adopted = turn.inputs.filter(({ isAdopted = false }) => isAdopted);
  const queued = await tx.run(queuedInputs, [
    userId,
    conversationId,
    adopted.map(({ idempotencyKey }) => idempotencyKeyOf(idempotencyKey)),
  ]);
  if (queued.length < adopted.length) return null;
  throw await refusedWrite(tx, userId, lease);
}

/** Returns the turn that an earlier attempt began; null if there is none, or if another process has taken the lease since. */
async function readBegunTurn(tx: Transaction, userId: string, turn: TurnBeginning): Promise<BegunTurn | null> {
  const { conversationId, lease, messages } = turn;
  const last = messages.at(-1);
  if (last === undefined) return null;
  const rows = await tx.run<BegunRow>(readBegun, [userId, conversationId, last.id, ...leaseParameters(lease)]);
  return begunOf(conversationId, rows);
}

/**
 * Throws the error of `refusedWrite` unless the last message of the write is stored: then the write was committed before, and
 * only its answer was lost.
 */
async function requireStored(
  tx: Transaction,
  userId: string,
  { lease, message }: { readonly lease: Lease; readonly message: StoredMessage | undefined },
): Promise<void> {
  const isStored = "select 1 from messages where user_id = $1 and id = $2::uuid and conversation_id = $3::uuid";
  const { conversationId } = lease;
  const stored = message === undefined ? [] : await tx.run(isStored, [userId, message.id, conversationId]);
  if (stored.length === 0) throw await refusedWrite(tx, userId, lease);
}

/** Returns a row for each of these keys that has a queued input. $1 user, $2 conversation, $3 keys. */
const queuedInputs = `
select 1 from inputs where user_id = $1 and conversation_id = $2::uuid and status = 'queued'
and idempotency_key in (select jsonb_array_elements_text($3::text::jsonb))`;

async function requireNewInputs(
  tx: Transaction,
  userId: string,
  { conversationId, keys }: { readonly conversationId: string; readonly keys: readonly string[] },
): Promise<void> {
  await requireOpenConversation(tx, userId, conversationId);
  const accepted = await tx.run(
    `select 1 from inputs where user_id = $1 and conversation_id = $2::uuid and status = 'taken'
     and idempotency_key in (select jsonb_array_elements_text($3::text::jsonb))`,
    [userId, conversationId, keys],
  );
  if (accepted.length > 0) throw inputRepeated();
}

async function storeReply(
  { userId, repeatable, statement }: UserContext,
  { lease, message, step, releasesLease = false, events = null }: ReplyCommit,
): Promise<void> {
  const calls = toolCallsOf(message).map((call, position) => ({
    message_id: message.id,
    call_id: call.callId,
    position,
    name: call.name,
  }));
  const stored = await statement(releasesLease ? commitLastReply : commitReply, [
    userId,
    lease.conversationId,
    message.parentId,
    rowsOfMessages([message], message.parentId),
    lease.fence,
    calls,
    [stepRow({ message, step })],
    ...eventParameters(events),
  ]);
  if (stored.length === 0) await repeatable((tx) => requireStored(tx, userId, { lease, message }));
}

function stepRow({ message, step }: Pick<ReplyCommit, "message" | "step">): object {
  const { usage, report, ...facts } = step;
  const { inputTokens, outputTokens, cachedInputTokens, isEstimated: _, ...sending } = usage;
  const tokens = { inputTokens, outputTokens, cachedInputTokens };
  const told = Object.keys(sending).length === 0 ? report : { ...report, sending };
  return { ...facts, ...tokens, messageId: message.id, report: told };
}

async function storeToolResult(context: UserContext, result: ToolResultCommit): Promise<void> {
  const { userId, repeatable, statement } = context;
  const { lease, message, reply } = result;
  const { conversationId } = lease;
  const messages = reply === undefined ? [message] : [reply.message, message];
  const { parentId } = messages[0] as StoredMessage;
  const cause = {
    origin: "model",
    conversationId,
    messageId: result.callMessageId,
    callId: result.callId,
    toolName: result.toolName,
    trust: result.trust,
    external: result.external ?? [],
  } as const;
  const parameters = [
    userId,
    conversationId,
    parentId,
    rowsOfMessages(messages, parentId),
    lease.fence,
    result.callMessageId,
    result.callId,
    result.status,
    changeRows(result.changes, cause),
    changeCause(cause),
    passageRows(result.passages, cause),
    ...eventParameters(result.events ?? null),
    ...(reply === undefined ? [] : [result.toolName, [stepRow(reply)]]),
  ];
  const commits = reply === undefined ? commitToolResult : commitReplyWithResult;
  const commit = result.changes.some(({ restated }) => restated !== undefined) ? commits.linking : commits.plain;
  const write = hasFiles([message])
    ? repeatable(async (tx) => {
        const stored = await tx.run(commit, parameters);
        if (stored.length > 0) await attachFiles(tx, userId, { conversationId, messages: [message] });
        return stored;
      })
    : statement(commit, parameters);
  const stored = await write.catch(async (error: unknown) => {
    if (!isRefusedWrite(error)) throw error;
    throw await repeatable((tx) => refusalOf(tx, userId, result));
  });
  if (stored.length === 0) await repeatable((tx) => requireStored(tx, userId, { lease, message }));
}

const pendingCall = `
select 1 from tool_calls
where user_id = $1 and conversation_id = $2::uuid and message_id = $3::uuid and call_id = $4 and status in ('pending', 'awaiting-result', 'awaiting-reply')`;

/** Returns the error for a refused tool result: its call is not pending, or one of its memory changes was refused. */
async function refusalOf(
  tx: Transaction,
  userId: string,
  { agentId, lease, reply, callMessageId, callId, changes }: ToolResultCommit,
): Promise<Error> {
  const isPending =
    reply !== undefined ||
    (await tx.run(pendingCall, [userId, lease.conversationId, callMessageId, callId])).length > 0;
  if (isPending) return refusedChange(tx, { userId, agentId }, changes);
  return new RequestError(
    "message_not_found",
    "Expected a pending tool call of this conversation, got a call that is not pending or not in it. Load the conversation again.",
  );
}

async function append(
  { userId, repeatable, statement }: UserContext,
  { lease, messages }: { readonly lease: Lease; readonly messages: readonly StoredMessage[] },
): Promise<void> {
  if (messages.length === 0) return;
  const leafId = messages[0]?.parentId ?? null;
  const rows = rowsOfMessages(messages, leafId);
  const stored = await statement(appendToThread, [userId, lease.conversationId, leafId, rows, lease.fence]);
  if (stored.length > 0) return;
  await repeatable((tx) => requireStored(tx, userId, { lease, message: messages.at(-1) }));
}

async function storeMemory(tx: Transaction, userId: string, edit: MemoryCommit): Promise<void> {
  const { agentId, lease, messageId, changes, trust, external = [] } = edit;
  const { conversationId, fence } = lease;
  const cause = { origin: "model", conversationId, messageId, trust, external } as const;
  const [stored] = await tx.run<{ readonly edited: readonly string[] }>(commitMemory, [
    userId,
    conversationId,
    fence,
    changeRows(changes, cause),
    changeCause(cause),
  ]);
  if (stored === undefined) throw await refusedWrite(tx, userId, lease);
  if (stored.edited.length === 0 && (await areRevised(tx, userId, edit))) return;
  await requireAllEdited(tx, { userId, agentId }, changes, stored.edited);
}

/** Returns whether the edit was committed before: each of its revisions is stored, with the same message as its cause. */
async function areRevised(
  tx: Transaction,
  userId: string,
  { agentId, messageId, changes }: MemoryCommit,
): Promise<boolean> {
  const wanted = changes.map(({ label, revision, after }) => ({ label, revision: revision + 1, after }));
  const parameters = [userId, agentId, messageId, wanted];
  const [found] = await tx.run<{ readonly count: number }>(countRevised, parameters);
  return found?.count === changes.length;
}

const keyLimit = 200;

/** Returns an idempotency key in its stored form. Throws RequestError `input_invalid` if the key is empty or too long. */
export function idempotencyKeyOf(text: string): string {
  const key = storableText(text);
  if (key === "" || key.length > keyLimit) {
    throw new RequestError(
      "input_invalid",
      `Expected an idempotency key of 1 to ${keyLimit} characters, got ${key.length}.`,
    );
  }
  return key;
}

let thisProcess: string | null = null;

/** Returns this process as JSON without the closing brace: the text with which every lease holder of this process begins. */
function ownText(): string {
  // Cached, because reading the facts about this process may start a program.
  thisProcess ??= JSON.stringify(thisHolder()).slice(0, -1);
  return thisProcess;
}

/** Returns the text that identifies a lease's holder: this process, and the claimant in it. */
export function holderText(claimant: string): string {
  return `${ownText()},"claimant":${JSON.stringify(claimant)}}`;
}

/** Returns whether the process that holds a lease is this one. */
export function isHeldHere(holder: string): boolean {
  return holder.startsWith(ownText());
}
