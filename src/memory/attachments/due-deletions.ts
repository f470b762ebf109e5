// Deletes the objects outside of the database that nothing names any more (ADR 9).
// Invariant: what is due stays noted until its object is gone, so a deletion that was broken off is made up for later.
import type { Objects } from "../../objects/objects.ts";
import type { AttachmentStore } from "../attachment-store.ts";

/** Throws what the store or the objects throw; what was not done by then is still due. */
export async function carryOutDeletions(store: AttachmentStore, objects: Objects): Promise<void> {
  if (objects.place === "database") return;
  for (const deletion of await store.dueDeletions(objects.place)) {
    await objects.delete(deletion.objectKey);
    await store.deletionDone(deletion);
  }
}
