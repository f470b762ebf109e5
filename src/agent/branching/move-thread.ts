// Moves a conversation to another message of its tree, and takes back of memory what it leaves behind, if that is wanted.
// Invariant: both happen in one transaction or not at all; what somebody else changed meanwhile is planned for again.
import { RequestError, RevisionConflictError } from "../../errors.ts";
import { planRevert, type RevertPlan } from "../../memory/core/plan-revert.ts";
import type { AgentRecord } from "../../memory/records.ts";
import type { UserStore } from "../../memory/store.ts";
import type { RevertMode, RevertedMemory } from "../agent.ts";
import type { SessionDeps } from "../session/session-deps.ts";

export interface ThreadMove {
  /** The message to stand on; null: before the first one. */
  readonly to: string | null;
  /** The ids of the messages that this leaves behind. */
  readonly leftBehind: readonly string[];
  /** What becomes of what their calls did to memory. */
  readonly memory: RevertMode;
}

/** The memory edits that were reverted with the messages. */
export type RevertedByMove = Omit<RevertedMemory, "messages">;

type Parts = SessionDeps & { readonly agent: AgentRecord; readonly store: UserStore };

/** Throws DependentEditsError with nothing changed. */
export async function moveThread(deps: Parts, move: ThreadMove): Promise<RevertedByMove> {
  const { lease, store, thread } = deps;
  const { to, memory } = move;
  const passages = memory === "keep" ? "keep" : "delete";
  for (let attempt = 1; ; attempt += 1) {
    const { changes, edits } = await planFor(deps, move);
    try {
      const moved = await store.conversations.moveLeaf(lease.current, { from: thread.leafId, to, changes, passages });
      await deps.load();
      return { edits, passages: moved.deletedPassages };
    } catch (error) {
      // Somebody changed a module since it was read, and nothing was moved: what stands now decides.
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attempt === maxAttempts) throw memoryBusy(error);
    }
  }
}

/** Plans that somebody else may overtake before it is given up. */
const maxAttempts = 5;

function memoryBusy(cause: RevisionConflictError): RequestError {
  const message = "Somebody else keeps changing the same part of core memory. Nothing was changed: try again.";
  return new RequestError("agent_busy", message, { cause });
}

async function planFor({ agent, store, core }: Parts, { leftBehind, memory }: ThreadMove): Promise<RevertPlan> {
  if (memory === "keep") return { changes: [], edits: [] };
  const ids = new Set(leftBehind);
  const revisions = await store.modules.madeBy(agent.id, [...ids]);
  return planRevert(revisions, {
    isMeant: ({ messageId }) => messageId !== null && ids.has(messageId),
    scopeOf: (label) => core.current.memory.module(label).scope,
    later: memory === "force" ? "revert" : "refuse",
  });
}
