// Fills the working memory of an agent from its messages.
// Invariant: only a working memory that is still empty is refilled.
import type { AgentRecord, StoredMessage } from "../../../store/port/records.ts";
import type { WorkingMemory } from "../../../memory/working/working-memory.ts";
import { turnTexts } from "../../../memory/working/turn-texts.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** The number of newest messages that a refill reads: about as many as fit in 10 MB with their vectors. */
const refilledMessages = 2000;

/** Adds the newest messages of a conversation to the agent's working memory, if working memory is empty. */
export async function refillWorking(
  deps: Pick<OperationDeps, "store" | "memories" | "retrieval">,
  agent: AgentRecord,
  refill: { readonly conversationId: string; readonly isExternalTool: (toolName: string) => boolean },
): Promise<void> {
  const memory = deps.memories.workingOf(agent.id);
  if (memory === null || deps.retrieval.workingMemory !== "refilled" || memory.size > 0) return;
  const request = { through: null, limit: refilledMessages };
  const messages = await deps.store.conversations.path(refill.conversationId, request);
  addMessages(memory, messages, { user: deps.store.userId, isExternalTool: refill.isExternalTool });
}

export function addMessages(
  memory: WorkingMemory,
  messages: readonly StoredMessage[],
  options: Parameters<typeof turnTexts>[1],
): void {
  for (const text of turnTexts(messages, options)) memory.add(text);
}
