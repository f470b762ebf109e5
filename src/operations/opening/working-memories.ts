// The working memories of a runtime: one for each agent that is in use, of the runtime's user.
// Invariant: what the store gives up on request, a working memory gives up as well.
import { isOutage } from "../../memory/vectors/back-fill.ts";
import type { AgentRecord, StoredMessage } from "../../memory/records.ts";
import { WorkingMemory } from "../../memory/working/working-memory.ts";
import { turnTexts } from "../../memory/working/turn-texts.ts";
import { type OperationDeps, reportEmbeddingFailure } from "../operation-deps.ts";

/** The agent's; the same one each time. Null where working memory is off. */
export function workingOf(deps: OperationDeps, { id }: Pick<AgentRecord, "id">): WorkingMemory | null {
  const { workingMemory, workingMemoryMegabytes, workingMemoryMinutes } = deps.retrieval;
  if (workingMemory === "off") return null;
  const known = deps.workings.get(id);
  if (known !== undefined) return known;
  const memory = new WorkingMemory({
    embedder: deps.embedders.default?.embedder ?? null,
    maxMemoryMb: workingMemoryMegabytes,
    fifoIntervalMin: workingMemoryMinutes,
    clock: deps.clock,
    onEmbeddingFailure: (error) => {
      // An outage is told by the embedder's guard, once.
      if (!isOutage(error)) reportEmbeddingFailure(deps.log, error);
    },
  });
  deps.workings.set(id, memory);
  return memory;
}

/** Messages of a conversation that are read again after a restart: about as many as 10 MB hold with their vectors. */
const refilledMessages = 2000;

export interface Refill {
  readonly conversationId: string;
  readonly bringsIn: (toolName: string) => boolean;
}

/** Puts what the store has of a conversation into a working memory that is still empty. */
export async function refillWorking(deps: OperationDeps, agent: AgentRecord, refill: Refill): Promise<void> {
  const memory = workingOf(deps, agent);
  if (memory === null || deps.retrieval.workingMemory !== "refilled" || memory.size > 0) return;
  const request = { through: null, limit: refilledMessages };
  const messages = await deps.store.conversations.path(refill.conversationId, request);
  addMessages(memory, messages, { user: deps.store.userId, bringsIn: refill.bringsIn });
}

export function addMessages(
  memory: WorkingMemory,
  messages: readonly StoredMessage[],
  options: Parameters<typeof turnTexts>[1],
): void {
  for (const text of turnTexts(messages, options)) memory.add(text);
}

/** After a deletion: of one agent's, or of everything. */
export function emptyWorking({ workings, store }: OperationDeps, agentId?: string): void {
  const meant = agentId === undefined ? [...workings.values()] : [workings.get(agentId)];
  for (const memory of meant) memory?.clear(store.userId);
}
