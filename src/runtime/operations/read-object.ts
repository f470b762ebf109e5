// Reads an object from the place where it was stored: the configured place, or the database.
// Invariant: an object of another place is never looked up in the configured one.
import type { OperationDeps } from "./operation-deps.ts";

/** Returns the content of an object; null if it is missing, or in a place for which the runtime is not configured. */
export async function readObject(
  { store, files }: Pick<OperationDeps, "store" | "files">,
  { place, objectKey }: { readonly place: string; readonly objectKey: string },
): Promise<Uint8Array | null> {
  const objects = [files.objects, store.objects].find((one) => one.place === place);
  return objects === undefined ? null : objects.get(objectKey);
}
