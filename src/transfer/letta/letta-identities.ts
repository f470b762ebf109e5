// Makes identities of those in Letta's database.
// Invariant: pure; what Letta has no name for here becomes `other` and `json`.
import type { Identity, IdentityKind, IdentityProperty } from "../../store/port/identity-store.ts";
import type { DatabaseIdentity } from "./letta-database.ts";
import { uuidOf } from "./letta-ids.ts";

const kinds: readonly IdentityKind[] = ["user", "org", "other"];
const types: readonly IdentityProperty["type"][] = ["string", "number", "boolean", "json"];

export function identityOf(letta: DatabaseIdentity, at: string): Identity {
  const { id, identifier_key: key, name, identity_type: type, properties, created_at: createdAt } = letta;
  return {
    id: uuidOf(id),
    key,
    name,
    kind: kinds.find((kind) => kind === type) ?? "other",
    properties: (properties ?? []).map((property) => ({
      key: property.key,
      type: types.find((known) => known === property.type) ?? "json",
      value: property.value,
    })),
    createdAt: new Date(createdAt ?? at),
  };
}
