// Moves a conversation to another message of its tree and, on request, reverts the memory edits of the removed
// messages.
// Invariant: the move and the reverts are one transaction; after a concurrent memory edit, the reverts are planned
// again.
import { RequestError, RevisionConflictError } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import { planRevert, type RevertPlan } from "../../memory/core/plan-revert.ts";
import type { LeafMove } from "../../store/port/conversation-store.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { ReopenedTurn } from "../../store/port/unfinished-turn-store.ts";
import type { RevertMode } from "../agent.ts";
import type { RevertedMemory } from "../agent-results.ts";
import type { SessionDeps } from "../session/session-deps.ts";

export interface ThreadMove {
  /** The new leaf, which is the last message of the thread; null: the thread becomes empty. */
  readonly to: string | null;
  /** The ids of the messages that are removed from the thread. */
  readonly leftBehind: readonly string[];
  /** What happens to the memory edits that calls of the removed messages made. */
  readonly memory: RevertMode;
  /** The turn that resumes after the move. */
  readonly reopens?: ReopenedTurn;
}

/** The memory edits that were reverted with the messages. */
export type RevertedByMove = Omit<RevertedMemory, "messages">;

type MoveDeps = SessionDeps & { readonly agent: AgentRecord; readonly store: UserStore };

/**
 * Moves the conversation, reverts memory edits as `move.memory` requires, and reloads the session. Throws
 * DependentEditsError, or RequestError `agent_busy` if other writers keep changing a module, with nothing changed.
 */
export async function moveThread(deps: MoveDeps, move: ThreadMove): Promise<RevertedByMove> {
  const { lease, store, thread } = deps;
  const { to, memory, reopens } = move;
  const passages = memory === "keep" ? "keep" : "delete";
  for (let attempt = 1; ; attempt += 1) {
    const { changes, edits } = await planFor(deps, move);
    try {
      const leafMove: LeafMove = { from: thread.leafId, to, changes, passages, ...given({ reopens }) };
      const moved = await store.conversations.moveLeaf(lease.current, leafMove);
      await deps.load();
      return { edits, passages: moved.deletedPassages };
    } catch (error) {
      // A module has changed since it was read, and nothing was moved: plan again with the current revisions.
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attempt === maxAttempts) throw memoryBusy(error);
    }
  }
}

/** Maximum attempts of a move while other writers edit memory. */
const maxAttempts = 5;

function memoryBusy(cause: RevisionConflictError): RequestError {
  const message = "Another process keeps changing the same module of core memory. Nothing was changed: try again.";
  return new RequestError("agent_busy", message, { cause });
}

async function planFor({ agent, store, core }: MoveDeps, { leftBehind, memory }: ThreadMove): Promise<RevertPlan> {
  if (memory === "keep") return { changes: [], edits: [] };
  // Core memory is reloaded, because another process may have given a module another label.
  await core.load();
  const ids = new Set(leftBehind);
  const revisions = await store.modules.madeBy(agent.id, [...ids]);
  return planRevert(revisions, {
    isSelected: ({ messageId }) => messageId !== null && ids.has(messageId),
    moduleOf: (label) => core.current.memory.module(label),
    later: memory === "force" ? "revert" : "refuse",
  });
}
