// The part of the store's port for identities: records about people and organizations that a user's agents talk to.
// Invariant: a key is unique per user; an identity gives nobody access.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";
import type { RecordKind } from "./record-store.ts";

export interface IdentityProperty {
  readonly key: string;
  readonly type: "string" | "number" | "boolean" | "json";
  /** A JSON value. */
  readonly value: unknown;
}

export const identityFields = {
  /** A UUID. */
  id: form.id,
  /** The identity's id in the caller's own system. */
  key: form.text,
  name: form.text,
  kind: form.choice("user", "org", "other"),
  properties: form.objects<IdentityProperty>("Pass an array of { key, type, value }."),
  createdAt: form.moment,
};

export interface Identity extends RecordOf<typeof identityFields> {}

export type IdentityKind = Identity["kind"];

export type IdentityChange = Partial<Omit<Identity, "id" | "createdAt">>;

export const identityFilterFields = {
  key: form.text,
  /** Only identities whose name contains this text, ignoring case. */
  name: form.text,
  kind: identityFields.kind,
  /** Only identities with these ids. */
  ids: form.texts,
};

export interface IdentityListRequest extends ListRange, OptionsOf<typeof identityFilterFields> {}

export const identityKind: RecordKind = {
  one: "an identity",
  fields: identityFields,
  defaults: { kind: "user", properties: [] },
  unique: ["key", "id"],
  exists: "identity_exists",
  notFound: "identity_not_found",
};
