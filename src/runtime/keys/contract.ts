// Defines the operations on keys, which identify a user to a server.
// Invariant: a secret is returned once, when its key is created. This file checks types only; names and secrets are
// checked where a key is created.
import { type CallChecks, later, optional, text, textOr } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, optionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { keyFields, type KeyRecord, type VerifiedKey } from "../../store/port/key-store.ts";
import { admin, type Contract, optionalOptions, value } from "../contract.ts";

const keyOptions = {
  /** A name to recognize the key in a list: 1 to 100 code points on one line. Default `key`. */
  name: keyFields.name,
  /** What the key allows; default `chat`. `admin`: everything that the user can do. */
  scope: keyFields.scope,
  /** The name or id of an agent, if the key is for that agent only; default every agent. The key is deleted with the agent. */
  agent: form.text,
};
const ownSecret = {
  /** The key's secret: 32 to 200 visible ASCII characters; default `pk_` and 256 random bits. */
  secret: form.text,
};

export interface KeyOptions extends OptionsOf<typeof keyOptions & typeof ownSecret> {}

const createdKeyFields = {
  ...keyFields,
  /** The secret. Only its hash is stored, so it cannot be shown again. */
  secret: form.text,
};

export interface CreatedKey extends RecordOf<typeof createdKeyFields> {}

export interface KeyOperations {
  /**
   * Creates a key. Throws RequestError `input_invalid`, `agent_not_found`, and `grant_ended` for an agent that the user may
   * only read.
   */
  create(options?: KeyOptions): Promise<CreatedKey>;
  /** Returns the user's keys, newest first, including revoked ones. */
  list(): Promise<readonly KeyRecord[]>;
  /** Revokes a key at once. Does nothing for a revoked key. Throws RequestError `key_not_found`. */
  revoke(id: string): Promise<void>;
}

/** Operations on the keys of all users. Functions for one user throw the same errors as those of `KeyOperations`. */
export interface HostKeys {
  /** Creates a key of this user. */
  create(userId: string, options?: KeyOptions): Promise<CreatedKey>;
  /** Returns the keys of this user, newest first, including revoked ones. */
  list(userId: string): Promise<readonly KeyRecord[]>;
  /** Revokes a key of this user at once. */
  revoke(userId: string, id: string): Promise<void>;
  /**
   * Returns the user of a key and what the key allows, in one round trip to the database; null for an unknown or revoked key.
   * Records the use of the key, at most once a minute.
   */
  verify(secret: string): Promise<VerifiedKey | null>;
}

export const keyContract = {
  create: {
    args: [optionalOptions(keyOptions, { own: ownSecret })],
    http: admin("POST /keys", "Create a key; only this answer has its secret", createdKeyFields, { status: 201 }),
  },
  list: { args: [], http: admin("GET /keys", "List the user's keys, newest first", [keyFields]) },
  revoke: { args: [value("id", form.id)], http: admin("DELETE /keys/:key", "Revoke a key at once", null) },
} as const satisfies Contract<KeyOperations>;

const userId = ["userId", textOr("Pass the id of a user of your program.")] as const;

export const hostKeyChecks: CallChecks<HostKeys> = {
  create: later(userId, ["options", optional(optionsOf({ ...keyOptions, ...ownSecret }))]),
  list: later(userId),
  revoke: later(userId, ["id", text]),
  verify: later(["secret", text]),
};
