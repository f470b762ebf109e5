// Defines the operations on identities: records about people and organizations that a user's agents talk to.
// Invariant: each operation acts for the runtime's user only. This file checks types only; lengths are checked where an
// identity is stored.
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import {
  type Identity,
  type IdentityChange,
  identityFields,
  identityFilterFields,
} from "../../store/port/identity-store.ts";
import { admin, type Contract, listFields, optionalOptions, optionsNamed, read, value } from "../contract.ts";

const { key, name, kind, properties } = identityFields;

const identityOptions = {
  key,
  name,
  /** A UUID; default a new one. */
  id: form.id,
  /** The kind of the identity. Default `user`. */
  kind,
  properties,
};

export interface NewIdentityOptions extends OptionsOf<typeof identityOptions, "key" | "name"> {}

const identityListOptions = { ...identityFilterFields, ...listFields };

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export interface IdentityListOptions extends OptionsOf<typeof identityListOptions> {}

/**
 * The operations on identities. An identity grants no rights; only a key identifies a user. Each throws RequestError
 * `identity_not_found` for an unknown identity, and `input_invalid` for an invalid option, with nothing written.
 */
export interface IdentityOperations {
  /** Creates an identity. Throws RequestError `identity_exists` for a key or an id in use. */
  create(identity: NewIdentityOptions): Promise<Identity>;
  find(id: string): Promise<Identity>;
  /** Returns one page. For the next page, pass the id of the last identity as `after`. */
  list(options?: IdentityListOptions): Promise<readonly Identity[]>;
  count(): Promise<number>;
  /** Changes the given fields. Throws RequestError `identity_exists` for a key in use. */
  update(id: string, change: IdentityChange): Promise<Identity>;
  /** Deletes an identity. The agents that refer to it stay. */
  delete(id: string): Promise<void>;
}

const id = value("id", form.id);

export const identityContract = {
  create: {
    args: [optionsNamed("identity", identityOptions, { required: ["key", "name"] })],
    http: admin("POST /identities", "Create an identity", identityFields, { status: 201 }),
  },
  find: { args: [id], http: read("GET /identities/:identity", "Get an identity", identityFields) },
  list: {
    args: [optionalOptions(identityListOptions)],
    http: read("GET /identities", "List identities", [identityFields]),
  },
  count: { args: [], http: "`GET /v1/identities/count` returns the number." },
  update: {
    args: [id, optionsNamed("change", { key, name, kind, properties })],
    http: admin("PATCH /identities/:identity", "Change an identity", identityFields),
  },
  delete: {
    args: [id],
    http: admin("DELETE /identities/:identity", "Delete an identity; the agents that refer to it stay", null),
  },
} as const satisfies Contract<IdentityOperations>;
