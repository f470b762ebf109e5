// Stores the identities of a Letta server.
// Invariant: an identity that is stored stays as it is, and so does one that has the key of an imported one.
import type { Identity } from "../../../store/port/identity-store.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** Returns how many are new. A dry run stores none. */
export async function importIdentities(
  { store: { identities } }: Pick<OperationDeps, "store">,
  given: readonly Identity[],
  { dryRun = false, notes }: { readonly dryRun: boolean | undefined; readonly notes: string[] },
): Promise<number> {
  let added = 0;
  for (const identity of given) {
    if ((await identities.find(identity.id)) !== null) continue;
    const [sameKey] = await identities.list({ key: identity.key, order: "oldest", limit: 1 });
    if (sameKey !== undefined) {
      notes.push(`identity ${JSON.stringify(identity.key)}: you have another one with this key, which was kept.`);
      continue;
    }
    if (!dryRun) await identities.create(identity);
    added += 1;
  }
  return added;
}
