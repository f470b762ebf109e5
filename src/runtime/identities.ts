// Operations on identities: records about people and organizations that a user's agents talk to.
// Invariant: types only; each operation acts for the runtime's user only.
import type { Identity, IdentityChange, IdentityListRequest } from "../store/port/identity-store.ts";

export interface NewIdentityOptions extends Pick<Identity, "key" | "name"> {
  /** A UUID; default a new one. */
  readonly id?: string;
  /** Default `user`. */
  readonly kind?: Identity["kind"];
  readonly properties?: Identity["properties"];
}

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export type IdentityListOptions = Partial<IdentityListRequest>;

/**
 * An identity gives no rights: a user is that of the key. Functions throw RequestError `identity_not_found` for an unknown one,
 * and `input_invalid` for an invalid option; nothing is written then.
 */
export interface IdentityOperations {
  /** Throws RequestError `identity_exists` for a key or an id in use. */
  create(identity: NewIdentityOptions): Promise<Identity>;
  /** Returns an identity. */
  find(id: string): Promise<Identity>;
  /** Returns one page; the next is `after` the last id. */
  list(options?: IdentityListOptions): Promise<readonly Identity[]>;
  /** Returns the number of the user's identities. */
  count(): Promise<number>;
  /** Changes what is given. Throws RequestError `identity_exists` for a key in use. */
  update(id: string, change: IdentityChange): Promise<Identity>;
  /** Deletes an identity; agents stay. */
  delete(id: string): Promise<void>;
}
