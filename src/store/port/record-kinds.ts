// The kinds of simple records, by the names of their tables. Stores and runtime operations are created from this list
// (src/store/record-stores.ts, src/runtime/operations/record-operations.ts).
// Invariant: a store without a kind does not compile.
import { type Identity, type IdentityListRequest, identityKind } from "./identity-store.ts";
import type { RecordKind, RecordStore } from "./record-store.ts";

export interface RecordStores {
  readonly identities: RecordStore<Identity, IdentityListRequest>;
}

export const recordKinds: { readonly [Name in keyof RecordStores]: RecordKind } = {
  identities: identityKind,
};
