// The part of the store's port for identities: records about people and organizations that a user's agents talk to.
// Invariant: a key is unique per user; no right follows from an identity.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";

export interface IdentityProperty {
  readonly key: string;
  readonly type: "string" | "number" | "boolean" | "json";
  /** JSON. */
  readonly value: unknown;
}

export const identityFields = {
  /** A UUID. */
  id: form.id,
  /** The caller's own id for it. */
  key: form.text,
  name: form.text,
  kind: form.choice("user", "org", "other"),
  properties: form.objects<IdentityProperty>("Pass an array of { key, type, value }."),
  createdAt: form.moment,
};

export interface Identity extends RecordOf<typeof identityFields> {}

export type IdentityKind = Identity["kind"];

export type IdentityChange = Partial<Omit<Identity, "id" | "createdAt">>;

export interface IdentityListRequest extends ListRange {
  readonly key?: string;
  /** Part of the name, in any case. */
  readonly name?: string;
  readonly kind?: IdentityKind;
  /** Only these. */
  readonly ids?: readonly string[];
}

/** An id that is not a UUID matches no identity. */
export interface IdentityStore {
  /** Throws RequestError `identity_exists` if the user has an identity of this key or id. */
  create(identity: Identity): Promise<void>;
  find(id: string): Promise<Identity | null>;
  /** Nothing is behind or ahead of an unknown identity. */
  list(request: IdentityListRequest): Promise<readonly Identity[]>;
  count(): Promise<number>;
  /** Returns null if there is none. Throws RequestError `identity_exists` for a key in use. */
  update(id: string, change: IdentityChange): Promise<Identity | null>;
  /** Returns false if there is none. */
  delete(id: string): Promise<boolean>;
}
