// Commits compactions of a session's window, and undoes the newest compaction.
// Invariant: the window changes only after the commit; after an undo it is reloaded, because the session does not hold
// the messages that come back.
import type { NewCompaction } from "../../store/port/compaction-store.ts";
import type { OfferedTool } from "../../store/port/records.ts";
import type { UndoneCompaction } from "../agent.ts";
import { type CommitDeps, renewSnapshot } from "./session-commits.ts";

export async function commitCompactions(
  deps: CommitDeps,
  compactions: readonly NewCompaction[],
  tools: readonly OfferedTool[],
): Promise<void> {
  const { store, lease, thread, clock } = deps;
  const version = await store.compactions.add(lease.current, compactions);
  const at = clock.now();
  thread.compact(
    compactions.map((compaction) => ({ ...compaction, undoneAt: null, at })),
    version,
  );
  // The compaction changes the prompt anyway, so renewing the snapshot now costs nothing extra.
  if (thread.snapshot !== null) await renewSnapshot(deps, tools);
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
