// The kinds of simple records, by the names of their tables. Their stores, and their operations in a runtime, follow from this
// table (src/store/record-stores.ts, src/runtime/operations/record-operations.ts).
// Invariant: a store without a kind does not compile.
import { type Identity, type IdentityListRequest, identityKind } from "./identity-store.ts";
import type { RecordKind, RecordStore } from "./record-store.ts";

export interface RecordStores {
  readonly identities: RecordStore<Identity, IdentityListRequest>;
}

export const recordKinds: { readonly [Name in keyof RecordStores]: RecordKind } = {
  identities: identityKind,
};
