// Deletes what nothing names any more outside of the database, after a deletion in it.
// Invariant: a failure is no failure of the deletion: it is told, and made up for later.
import { messageOf } from "../base/error-message.ts";
import { carryOutDeletions } from "../memory/attachments/due-deletions.ts";
import type { OperationDeps } from "./operation-deps.ts";

export async function deleteObjects({
  store,
  files,
  log,
}: Pick<OperationDeps, "store" | "files" | "log">): Promise<void> {
  await carryOutDeletions(store.attachments, files.objects).catch((error: unknown) =>
    log(`Objects that nothing names any more could not be deleted now, and will be later: ${messageOf(error)}`),
  );
}
