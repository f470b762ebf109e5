// Deletes objects outside of the database that no row references any more.
// Invariant: a failure does not fail the deletion of rows: it is logged, and a later call deletes the objects.
import { messageOf } from "../../base/thrown-values.ts";
import { carryOutDeletions } from "../../memory/attachments/attachments.ts";
import type { OperationDeps } from "./operation-deps.ts";

export async function deleteObjects({
  store,
  files,
  log,
}: Pick<OperationDeps, "store" | "files" | "log">): Promise<void> {
  await carryOutDeletions(store.attachments, files.objects).catch((error: unknown) =>
    log(`Unreferenced objects could not be deleted now and will be deleted later: ${messageOf(error)}`),
  );
}
