// Lists the kinds of simple records, by the names of their tables. Stores and runtime operations are created from this
// list (src/store/record-stores.ts, src/runtime/operations/record-operations.ts).
// Invariant: a store of `RecordStores` that has no kind in the list is a type error.
import { type Identity, type IdentityListRequest, identityKind } from "./identity-store.ts";
import type { RecordKind, RecordStore } from "./record-store.ts";

export interface RecordStores {
  readonly identities: RecordStore<Identity, IdentityListRequest>;
}

export const recordKinds: { readonly [Name in keyof RecordStores]: RecordKind } = {
  identities: identityKind,
};
