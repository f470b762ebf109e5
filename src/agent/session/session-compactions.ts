// Commits compactions of a session's window, and undoes the newest.
// Invariant: the window changes after the commit alone; after an undoing it is read again, since what comes back is not in it.
import type { NewCompaction } from "../../memory/compaction-store.ts";
import type { UndoneCompaction } from "../agent.ts";
import { type CommitDeps, renewSnapshot } from "./session-commits.ts";

export async function commitCompactions(deps: CommitDeps, compactions: readonly NewCompaction[]): Promise<void> {
  const { store, lease, thread, clock } = deps;
  const version = await store.compactions.add(lease.current, compactions);
  const at = clock.now();
  thread.compact(
    compactions.map((compaction) => ({ ...compaction, undoneAt: null, at })),
    version,
  );
  // The prompt's end changes anyway, so that this is the moment at which it costs nothing.
  if (thread.snapshot !== null) await renewSnapshot(deps);
}

export async function undoCompaction({
  store,
  lease,
  thread,
  load,
}: CommitDeps): Promise<Pick<UndoneCompaction, "compactions" | "messages">> {
  const compactions = await store.compactions.undo(lease.current);
  const before = thread.messages.length;
  await load();
  return { compactions, messages: thread.messages.slice(0, thread.messages.length - before) };
}
