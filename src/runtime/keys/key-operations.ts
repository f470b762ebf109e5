// Creates, lists and revokes the keys of a user, and finds the user of a secret.
// Invariant: a secret is returned once, by `create`, and never stored. A key is found by the hash of its secret in an
// index, so that the time of a comparison does not reveal how much of a guess was right.
import { codePointLength, describeText } from "../../base/code-points.ts";
import { sha256Of, newSecret } from "../../base/ids.ts";
import { RequestError } from "../../base/errors.ts";
import type { KeyRecord } from "../../store/port/key-store.ts";
import type { Store, UserStore } from "../../store/port/store.ts";
import type { CreatedKey, HostKeys, KeyOperations, KeyOptions } from "./contract.ts";
import { findAgent } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

const { invalid } = inputChecks("A key");
const maxName = 100;
/** Number of first characters of a secret that lists show: `pk_` and six characters, which encode 36 random bits. */
const shownCharacters = 9;

interface KeyDeps extends Pick<OperationDeps, "ids" | "clock"> {
  /** Finds a key of any user, because a new secret may already be another user's. */
  readonly verifyKey: Store["verifyKey"];
  readonly store: UserStore;
}

export function createKeyOperations(deps: KeyDeps): KeyOperations {
  const { keys } = deps.store;
  return {
    create: (options = {}) => createKey(deps, options),
    list: () => keys.list(),
    revoke: async (id) => {
      if (!(await keys.revoke(id, deps.clock.now())))
        throw new RequestError(
          "key_not_found",
          `There is no key "${id}" for this user. \`runtime.keys.list()\` lists the keys.`,
        );
    },
  };
}

export function createHostKeys({
  store,
  ids,
  clock,
}: { readonly store: Store } & Omit<KeyDeps, "store" | "verifyKey">): HostKeys {
  const ofUser = (userId: string) =>
    createKeyOperations({ store: store.as(userId), verifyKey: store.verifyKey, ids, clock });
  return {
    create: async (userId, options) => ofUser(userId).create(options),
    list: async (userId) => ofUser(userId).list(),
    revoke: async (userId, id) => ofUser(userId).revoke(id),
    verify: async (secret) => (isSecret(secret) ? store.verifyKey(sha256Of(secret)) : null),
  };
}

function describeSecret(secret: string): string {
  const { length } = secret;
  return length < 32 || length > 200 ? `${length} characters` : "other characters";
}

async function createKey(deps: KeyDeps, options: KeyOptions): Promise<CreatedKey> {
  const { name = "key", scope = "chat", secret = newSecret("pk_") } = options;
  if (name.trim() === "" || codePointLength(name) > maxName || /\p{Cc}/u.test(name))
    throw invalid("name", `1 to ${maxName} characters on one line`, describeText(name));
  if (!isSecret(secret)) throw invalid("secret", "32 to 200 visible ASCII characters", describeSecret(secret));
  const agentId = options.agent === undefined ? null : (await findAgent(deps, options.agent)).id;
  const hash = sha256Of(secret);
  // Each secret must identify one user, so no two keys have the same secret.
  if ((await deps.verifyKey(hash)) !== null) throw invalid("secret", "a new secret", "the secret of an existing key");
  const key = {
    id: deps.ids.next(),
    name,
    prefix: secret.slice(0, shownCharacters),
    scope,
    agentId,
    createdAt: deps.clock.now(),
  } satisfies Partial<KeyRecord>;
  await deps.store.keys.create({ ...key, hash });
  return { ...key, lastUsedAt: null, revokedAt: null, secret };
}

function isSecret(secret: string): boolean {
  return /^[\x21-\x7e]{32,200}$/u.test(secret);
}
