// Finds the user of a request by the key of the request only, and limits wrong keys: after too many from one address,
// further unknown keys from that address are refused unchecked.
// Invariant: no runtime is used without a valid key. A key that was valid recently is always checked, so that no client is
// refused because of other clients at its address, such as a proxy's. Unknown keys are checked one after the other. The
// text of a key is not kept, logged or repeated; only hashes of keys are kept.
import type { Clock } from "../../base/clock.ts";
import { sha256Of } from "../../base/ids.ts";
import type { HostKeys } from "../../runtime/keys/contract.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { runtimeOfAgent } from "./agent-runtime.ts";
import { Fault } from "./fault.ts";
import { createRateWindow } from "./rate-window.ts";
import { readingRuntime } from "./reading-runtime.ts";
import { allows, type Route } from "./route.ts";

/** A valid key, with its user and what it allows. */
export type ServedKey = NonNullable<Awaited<ReturnType<HostKeys["verify"]>>>;

export type Caller = Pick<ServedKey, "userId" | "keyId">;

export type VerifyKey = (secret: string) => Promise<ServedKey | null>;

/** Wrong keys per address in `windowMs` milliseconds before further unknown keys are refused. */
const maxWrong = 20;
const windowMs = 10_000;

/** Milliseconds after which a known key is verified again. Only a verification records that the key was used. */
const recordedMs = 60_000;

/** Maximum number of remembered keys; the most recently used ones are kept. */
const maxKnown = 10_000;

export function createKeyGate(verify: VerifyKey, clock: Pick<Clock, "now">) {
  const known = new Map<string, { readonly key: ServedKey; readonly at: number }>();
  const wrong = createRateWindow({ max: maxWrong, windowMs }, clock);
  let earlier: Promise<unknown> = Promise.resolve();

  async function check(secret: string, hash: string, address: string): Promise<ServedKey> {
    const key = await verify(secret);
    known.delete(hash);
    if (key === null) {
      wrong.add(address);
      throw new Fault(401, "key_invalid", "The key is unknown or was revoked. `palimpsest keys create` creates one.");
    }
    known.set(hash, { key, at: clock.now().getTime() });
    if (known.size > maxKnown) known.delete(known.keys().next().value as string);
    return key;
  }

  async function checkUnknown(secret: string, hash: string, address: string): Promise<ServedKey> {
    const retryAfterMs = wrong.waitMs(address);
    if (retryAfterMs === 0) return check(secret, hash, address);
    const message = `Too many requests with a wrong key came from this address. Wait ${Math.ceil(retryAfterMs / 1000)} s.`;
    throw new Fault(429, "rate_limited", message, { retryAfterMs });
  }

  return {
    /** Returns a key that was valid recently, without a database query; null for any other key. */
    recent: (secret: string): Caller | null => known.get(sha256Of(secret))?.key ?? null,
    /**
     * Returns a key that was verified in the last minute, without a database query; null for any other key. The caller
     * must check the key in the database before the request returns or changes anything.
     */
    unchecked(secret: string): ServedKey | null {
      const found = known.get(sha256Of(secret));
      return found !== undefined && clock.now().getTime() - found.at < recordedMs ? found.key : null;
    },
    /**
     * Returns a key with its user. Throws Fault `key_invalid` for a wrong key. Throws Fault `rate_limited`, without a
     * check of the key, for an unknown key if its address has sent too many wrong keys.
     */
    verify(secret: string, address: string): Promise<ServedKey> {
      const hash = sha256Of(secret);
      if (known.has(hash)) return check(secret, hash, address);
      const checked = earlier.then(() => checkUnknown(secret, hash, address));
      earlier = checked.catch(() => undefined);
      return checked;
    },
  };
}

/** Checks that a key allows a route. Throws Fault `key_scope` if it does not. */
export function requireScope(key: ServedKey, { scope }: Pick<Route, "scope">): void {
  if (allows(key.scope, scope)) return;
  const message = `This request needs a key of scope "${scope}", but the sent key has the scope "${key.scope}".`;
  throw new Fault(403, "key_scope", message);
}

/** Returns the key of a request. Throws Fault `key_missing` if there is none. */
export function requireKey(secret: string | null): string {
  if (secret !== null) return secret;
  const message = "Send a key in the header `Authorization: Bearer KEY`. `palimpsest keys create` creates one.";
  throw new Fault(401, "key_missing", message);
}

/** Returns the key in the headers of a request; null if there is none. */
export function keyOf(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+)$/iu.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? headers.get("x-api-key");
}

/** Returns the runtime of a key's user; the runtime refuses everything that the key does not allow. */
export function runtimeOfKey(runtime: UserRuntime, { agentId, scope }: ServedKey): UserRuntime {
  const allowed = scope === "read" ? readingRuntime(runtime) : runtime;
  return agentId === null ? allowed : runtimeOfAgent(allowed, agentId);
}
