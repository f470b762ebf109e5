// Operations on keys, which identify a user to a server.
// Invariant: types only; a secret is returned once, when its key is created.
import type { KeyRecord, KeyScope, VerifiedKey } from "../store/port/key-store.ts";

export interface KeyOptions {
  /** To recognize it in a list: 1 to 100 code points on one line. Default `key`. */
  readonly name?: string;
  /** What it allows; default `chat`. `admin`: everything that the user can do. */
  readonly scope?: KeyScope;
  /** The name or id of the only agent that it is for; default every agent. It is deleted with the agent. */
  readonly agent?: string;
  /** 32 to 200 visible ASCII characters; default `pk_` and 256 random bits. */
  readonly secret?: string;
}

export interface CreatedKey extends KeyRecord {
  /** Only its hash is stored: it cannot be shown again. */
  readonly secret: string;
}

export interface KeyOperations {
  /** Throws RequestError `input_invalid`, `agent_not_found`, and `grant_ended` for an agent that may only be read. */
  create(options?: KeyOptions): Promise<CreatedKey>;
  /** Returns the keys, newest first, with those that are revoked. */
  list(): Promise<readonly KeyRecord[]>;
  /** Ends a key at once. Does nothing for one that is revoked. Throws RequestError `key_not_found`. */
  revoke(id: string): Promise<void>;
}

/** The keys of all users. The functions for one user throw as `KeyOperations`. */
export interface HostKeys {
  /** Creates a key of this user. */
  create(userId: string, options?: KeyOptions): Promise<CreatedKey>;
  /** Returns the keys of this user, newest first, with those that are revoked. */
  list(userId: string): Promise<readonly KeyRecord[]>;
  /** Ends a key of this user at once. */
  revoke(userId: string, id: string): Promise<void>;
  /**
   * Returns whose key this is and what it allows, in one round trip to the database; null for an unknown or revoked one.
   * Records the use, at most once a minute.
   */
  verify(secret: string): Promise<VerifiedKey | null>;
}
