// Reads agents for a transfer: what an agent holds, and its conversations and passages in parts.
// Invariant: only the user's own rows, and of modules that others share with the user their newest text.
import type {
  HeldParts,
  TransferredCompaction,
  TransferredConversation,
  TransferredMessage,
  TransferredModule,
  TransferredPassage,
  TransferredSource,
} from "../port/transfer-store.ts";
import type { ModuleScope } from "../port/records.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import { type AttachedToolRow, attachedToolOfRow } from "../agents/stored-tool-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { conversationNotFound } from "../conversations/conversation-faults.ts";
import {
  compactionsToTransfer,
  conversationToTransfer,
  messagesToTransfer,
  modulesToTransfer,
  passagesToTransfer,
  sourcesToTransfer,
} from "../sql/read-transfer.ts";
import { toolsOfAgent } from "../sql/stored-tools.ts";
import { isUuid } from "../uuid.ts";

/** Messages per statement. */
const batchSize = 500;
const smallestId = "00000000-0000-0000-0000-000000000000";

interface ModuleRow {
  readonly scope: ModuleScope;
  readonly module: Omit<TransferredModule, "revisions">;
  readonly revisions: TransferredModule["revisions"];
}

export async function readHeld(tx: Transaction, userId: string, agentId: string): Promise<HeldParts> {
  await requireOwnAgent(tx, userId, agentId);
  const modules = await tx.run<ModuleRow>(modulesToTransfer, [userId, agentId]);
  const tools = await tx.run<AttachedToolRow>(toolsOfAgent("$1", "$2::uuid"), [userId, agentId]);
  const sources = await tx.run<{ readonly source: TransferredSource }>(sourcesToTransfer, [userId, agentId]);
  // A tool of an MCP server does not run without its server, whose secrets stay here.
  const attached = tools.map(attachedToolOfRow).filter(({ kind }) => kind !== "mcp");
  return {
    modules: modules.map(({ module, revisions }) => ({ ...module, revisions })),
    tools: attached.map(({ agentRequiresApproval: _own, served: _none, createdAt, updatedAt, ...tool }) => ({
      ...tool,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    })),
    sources: sources.map(({ source }) => source),
    held: {
      modules: modules.map(({ module: { id }, scope }) => ({ id, scope })),
      tools: attached.map(({ id, agentRequiresApproval: requiresApproval }) => ({ id, requiresApproval })),
      sources: sources.map(({ source: { id } }) => id),
    },
  };
}

export async function readConversation(tx: Transaction, userId: string, id: string): Promise<TransferredConversation> {
  if (!isUuid(id)) throw conversationNotFound(id);
  type Row = { readonly conversation: Omit<TransferredConversation, "messages" | "compactions"> };
  const [found] = await tx.run<Row>(conversationToTransfer, [userId, id]);
  if (found === undefined) throw conversationNotFound(id);
  const messages = await readMessages(tx, userId, id);
  const compactions = await tx.run<{ readonly compaction: TransferredCompaction }>(compactionsToTransfer, [userId, id]);
  return { ...found.conversation, messages, compactions: compactions.map(({ compaction }) => compaction) };
}

async function readMessages(tx: Transaction, userId: string, conversationId: string): Promise<TransferredMessage[]> {
  const messages: TransferredMessage[] = [];
  let last = { position: 0, id: smallestId };
  for (;;) {
    type Row = { readonly position: number; readonly message: TransferredMessage };
    const parameters = [userId, conversationId, last.position, last.id, batchSize];
    const rows = await tx.run<Row>(messagesToTransfer, parameters);
    for (const { message } of rows) messages.push(message);
    const end = rows.at(-1);
    if (end === undefined || rows.length < batchSize) return messages;
    last = { position: end.position, id: end.message.id };
  }
}

export async function readPassages(
  tx: Transaction,
  userId: string,
  request: { readonly agentId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly TransferredPassage[]> {
  const { agentId, after, limit } = request;
  await requireOwnAgent(tx, userId, agentId);
  const rows = await tx.run<{ readonly passage: TransferredPassage }>(passagesToTransfer, [
    userId,
    agentId,
    after,
    limit,
  ]);
  return rows.map(({ passage }) => passage);
}
