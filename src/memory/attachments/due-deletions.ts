// Deletes the objects outside the database that no row names any more (ADR 9).
// Invariant: a due deletion stays recorded until its object is gone, so an interrupted deletion is retried later.
import type { Objects } from "../../store/object-storage/objects.ts";
import type { AttachmentStore } from "../../store/port/attachment-store.ts";

/** Throws what the store or the objects throw; deletions that were not done by then are still due. */
export async function carryOutDeletions(store: AttachmentStore, objects: Objects): Promise<void> {
  if (objects.place === "database") return;
  for (const deletion of await store.dueDeletions(objects.place)) {
    await objects.delete(deletion.objectKey);
    await store.deletionDone(deletion);
  }
}
