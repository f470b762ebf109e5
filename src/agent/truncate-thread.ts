// Moves a conversation's leaf back, and takes back with the messages what their calls did to memory.
// Invariant: both happen in one transaction or not at all; what somebody else changed meanwhile is planned for again.
import { RequestError, RevisionConflictError } from "../errors.ts";
import { planTakeBack, type TakeBackPlan } from "../memory/core/take-back.ts";
import type { AgentRecord, StoredMessage } from "../memory/records.ts";
import type { UserStore } from "../memory/store.ts";
import type { MemoryChoice, TakenBack } from "./agent.ts";
import type { SessionParts } from "./session-parts.ts";

type Parts = SessionParts & { readonly agent: AgentRecord; readonly store: UserStore };

/** Leaves the first `kept` messages of the window. Throws EditsStandOnError with nothing changed. */
export async function truncateThread(parts: Parts, kept: number, memory: MemoryChoice): Promise<TakenBack> {
  const { lease, store, thread, core } = parts;
  const from = thread.leafId;
  const removed = thread.messages.slice(kept);
  const to = removed[0] === undefined ? from : removed[0].parentId;
  const passages = memory === "keep" ? "keep" : "delete";
  for (let attempt = 1; ; attempt += 1) {
    const { changes, edits } = await planFor(parts, removed, memory);
    try {
      const moved = await store.conversations.moveLeaf(lease.current, { from, to, changes, passages });
      const messages = thread.keep(kept);
      if (edits.length > 0) await core.load();
      return { messages, edits, passages: moved.deletedPassages };
    } catch (error) {
      // Somebody changed a module since it was read, and nothing was moved: what stands now decides.
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attempt === mostAttempts) throw memoryBusy(error);
    }
  }
}

/** Plans that somebody else may overtake before it is given up. */
const mostAttempts = 5;

function memoryBusy(cause: RevisionConflictError): RequestError {
  const message = "Somebody else keeps changing the same part of core memory. Nothing was changed: try again.";
  return new RequestError("agent_busy", message, { cause });
}

async function planFor(
  { agent, store, core }: Parts,
  removed: readonly StoredMessage[],
  memory: MemoryChoice,
): Promise<TakeBackPlan> {
  if (memory === "keep") return { changes: [], edits: [] };
  const ids = new Set(removed.map(({ id }) => id));
  const revisions = await store.modules.madeBy(agent.id, [...ids]);
  return planTakeBack(revisions, {
    isMeant: ({ messageId }) => messageId !== null && ids.has(messageId),
    scopeOf: (label) => core.current.memory.module(label).scope,
    later: memory === "force" ? "take-back" : "refuse",
  });
}
