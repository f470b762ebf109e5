// The writes of a turn.
// Invariant: each is one transaction of one statement, moves the leaf by compare-and-swap, and costs the same
// whatever the conversation's length.
import { storableText } from "../base/code-points.ts";
import { RequestError } from "../errors.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { ModuleVersion, ReplyCommit, ToolResultCommit, TurnBeginning, TurnStore } from "../memory/store.ts";
import { toolCallsOf } from "../message.ts";
import { lostLeaf, requireConversation } from "./conversation-faults.ts";
import { messagesAsJson } from "./message-rows.ts";
import { causeAsJson, changesAsJson, requireAllEdited } from "./module-changes.ts";
import { passagesAsJson } from "./passage-rows.ts";
import { appendToThread } from "./sql/append-to-thread.ts";
import { beginTurn } from "./sql/begin-turn.ts";
import { commitReply } from "./sql/commit-reply.ts";
import { commitToolResult } from "./sql/commit-tool-result.ts";
import { storableJson } from "./storable-json.ts";
import type { Transaction } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";

const keyLimit = 200;

export function createTurnStore({ userId, transaction }: UserContext): TurnStore {
  return {
    begin: (turn) => transaction((tx) => begin(tx, userId, turn)),
    commitReply: (reply) => transaction((tx) => storeReply(tx, userId, reply)),
    commitToolResult: (result) => transaction((tx) => storeToolResult(tx, userId, result)),
    append: (conversationId, messages) => transaction((tx) => append(tx, userId, { conversationId, messages })),
  };
}

async function begin(tx: Transaction, userId: string, turn: TurnBeginning): Promise<readonly ModuleVersion[] | null> {
  const key = storableText(turn.idempotencyKey);
  if (key === "" || key.length > keyLimit) {
    throw new RequestError(
      "input_invalid",
      `An idempotency key has 1 to ${keyLimit} characters, this one has ${key.length}.`,
    );
  }
  const rows = await tx.run<ModuleVersion | { readonly label: null }>(beginTurn, [
    userId,
    turn.conversationId,
    turn.leafId,
    messagesAsJson(turn.messages, turn.leafId),
    key,
    turn.messages[0]?.id ?? null,
  ]);
  if (rows.length > 0) return rows.filter((row) => row.label !== null);
  await requireNewInput(tx, userId, { conversationId: turn.conversationId, key });
  return null;
}

async function requireNewInput(
  tx: Transaction,
  userId: string,
  input: { readonly conversationId: string; readonly key: string },
): Promise<void> {
  await requireConversation(tx, userId, input.conversationId);
  const accepted = await tx.run(
    "select 1 from inputs where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $3",
    [userId, input.conversationId, input.key],
  );
  if (accepted.length > 0) {
    throw new RequestError(
      "input_repeated",
      "This input was accepted before, under the same idempotency key. Nothing was written.",
    );
  }
}

async function storeReply(
  tx: Transaction,
  userId: string,
  { conversationId, message, step }: ReplyCommit,
): Promise<void> {
  const calls = toolCallsOf(message).map((call, position) => ({
    message_id: message.id,
    call_id: call.callId,
    position,
    name: call.name,
  }));
  const { usage } = step;
  const stored = await tx.run(commitReply, [
    userId,
    conversationId,
    message.parentId,
    messagesAsJson([message], message.parentId),
    storableJson(calls),
    storableJson({
      id: step.id,
      turn_id: step.turnId,
      number: step.number,
      message_id: message.id,
      model: step.model,
      finish: step.finish,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      report: step.report,
    }),
  ]);
  if (stored.length === 0) throw await lostLeaf(tx, userId, conversationId);
}

async function storeToolResult(tx: Transaction, userId: string, result: ToolResultCommit): Promise<void> {
  const { agentId, conversationId, message, changes } = result;
  const cause = {
    origin: "model",
    conversationId,
    messageId: result.callMessageId,
    callId: result.callId,
    toolName: result.toolName,
  } as const;
  const [stored] = await tx.run<{ readonly settled: number; readonly edited: readonly string[] }>(commitToolResult, [
    userId,
    conversationId,
    message.parentId,
    messagesAsJson([message], message.parentId),
    result.callMessageId,
    storableText(result.callId),
    result.status,
    changesAsJson(changes),
    causeAsJson(cause),
    passagesAsJson(result.passages, { origin: "model", conversationId }),
  ]);
  if (stored === undefined) throw await lostLeaf(tx, userId, conversationId);
  if (stored.settled === 0) {
    throw new RequestError("message_not_found", "The conversation has no such tool call that is still to be answered.");
  }
  await requireAllEdited(tx, { userId, agentId }, changes, stored.edited);
}

async function append(
  tx: Transaction,
  userId: string,
  addition: { readonly conversationId: string; readonly messages: readonly StoredMessage[] },
): Promise<void> {
  const { conversationId, messages } = addition;
  if (messages.length === 0) return;
  const leafId = messages[0]?.parentId ?? null;
  const stored = await tx.run(appendToThread, [userId, conversationId, leafId, messagesAsJson(messages, leafId)]);
  if (stored.length === 0) throw await lostLeaf(tx, userId, conversationId);
}
