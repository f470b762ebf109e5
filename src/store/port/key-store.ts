// The part of the store's port for keys, which identify a user to a server.
// Invariant: no function takes or returns a secret, only its hash.
import { form, type RecordOf } from "../../base/arguments/forms.ts";

export const keyFields = {
  id: form.id,
  name: form.text,
  /** The first characters of the secret, to recognize it. */
  prefix: form.text,
  /** What the key allows. `read`: to read; `chat`: also to talk; `admin`: everything that its user can do. */
  scope: form.choice("read", "chat", "admin"),
  /** The only agent that the key is for; null: every agent of the user. */
  agentId: form.nullable(form.id),
  createdAt: form.moment,
  /** When the key was last used, to the minute; null if it never was. */
  lastUsedAt: form.nullable(form.moment),
  revokedAt: form.nullable(form.moment),
};

export interface KeyRecord extends RecordOf<typeof keyFields> {}
export type KeyScope = KeyRecord["scope"];

export interface NewKey extends Omit<KeyRecord, "lastUsedAt" | "revokedAt"> {
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
}

/** The user of a key, and what the key allows. */
export interface VerifiedKey {
  readonly userId: string;
  readonly keyId: string;
  readonly agentId: string | null;
  readonly scope: KeyScope;
}

export interface KeyStore {
  /** Creates a key. Throws RequestError `agent_not_found`, and `grant_ended` for an agent that the user may only read. */
  create(key: NewKey): Promise<void>;
  /** Lists the keys, including revoked ones, newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Revokes a key. Returns false if there is no such key. A revoked key keeps the time of its first revocation. */
  revoke(id: string, at: Date): Promise<boolean>;
}
