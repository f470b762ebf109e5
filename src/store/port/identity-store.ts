// The part of the store's port for identities: records about people and organizations that a user's agents talk to.
// Invariant: a key is unique per user; an identity gives nobody access.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";

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

/** Stores identities. An id that is not a UUID matches no identity. */
export interface IdentityStore {
  /** Creates an identity. Throws RequestError `identity_exists` if the user has an identity of this key or id. */
  create(identity: Identity): Promise<void>;
  find(id: string): Promise<Identity | null>;
  /** Lists identities. Empty if `after` or `before` is an unknown identity. */
  list(request: IdentityListRequest): Promise<readonly Identity[]>;
  count(): Promise<number>;
  /** Changes an identity, and returns it; null if there is none. Throws RequestError `identity_exists` for a key in use. */
  update(id: string, change: IdentityChange): Promise<Identity | null>;
  /** Deletes an identity. Returns false if there is none. */
  delete(id: string): Promise<boolean>;
}
