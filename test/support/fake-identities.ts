// Operations on identities that no front end under test calls.
import type { IdentityOperations } from "../../src/runtime/identities/contract.ts";

export function fakeIdentities(notFaked: (name: string) => never): IdentityOperations {
  return {
    create: () => notFaked("identities.create"),
    find: () => notFaked("identities.find"),
    list: () => notFaked("identities.list"),
    count: () => notFaked("identities.count"),
    update: () => notFaked("identities.update"),
    delete: () => notFaked("identities.delete"),
  };
}
