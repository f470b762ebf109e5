// Reads an object wherever it was stored: where new ones are written, or in the database.
// Invariant: a place that the runtime is not configured for is never taken for another one.
import type { OperationDeps } from "./operation-deps.ts";

/** Returns the content of an object; null for one in a place that the runtime is not configured for, or that is missing. */
export async function readObject(
  { store, files }: Pick<OperationDeps, "store" | "files">,
  { place, objectKey }: { readonly place: string; readonly objectKey: string },
): Promise<Uint8Array | null> {
  const objects = [files.objects, store.objects].find((one) => one.place === place);
  return objects === undefined ? null : objects.get(objectKey);
}
