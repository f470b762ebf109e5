// Finds the user of a key, and limits wrong keys: after too many from one address, further unknown keys from that
// address are refused unchecked.
// Invariant: a key that was valid recently is always checked, so that no client is refused because of other clients at
// its address, such as a proxy's. Unknown keys are checked one after the other. Only hashes of keys are kept.
import type { Clock } from "../../base/clock.ts";
import { hashOfSecret } from "../../base/ids.ts";
import type { HostKeys } from "../../runtime/keys/contract.ts";
import { Fault } from "./fault.ts";
import { createRateWindow } from "./rate-window.ts";

/** A valid key, with its user and what it allows. */
export type ServedKey = NonNullable<Awaited<ReturnType<HostKeys["verify"]>>>;

export type VerifyKey = (secret: string) => Promise<ServedKey | null>;

export interface KeyGate {
  /** Returns a key that was valid recently, without a database query; null for any other key. */
  recent(secret: string): Pick<ServedKey, "userId" | "keyId"> | null;
  /**
   * Returns a key that was verified in the last minute, without a database query; null for any other key. The caller
   * must have the database check the key before the request returns or changes anything.
   */
  unchecked(secret: string): ServedKey | null;
  /**
   * Returns a valid key, and null for a wrong one. Throws Fault `rate_limited`, without a check, for an unknown key from an
   * address that has sent too many wrong ones.
   */
  verify(secret: string, address: string): Promise<ServedKey | null>;
}

/** Wrong keys per address in `windowMs` milliseconds before further unknown keys are refused. */
const maxWrong = 20;
const windowMs = 10_000;

/** Milliseconds after which a key is verified again, because a verification records its use. */
const recordedMs = 60_000;

/** Maximum number of remembered keys; the most recently used ones are kept. */
const maxKnown = 10_000;

export function createKeyGate(verify: VerifyKey, clock: Pick<Clock, "now">): KeyGate {
  const known = new Map<string, { readonly key: ServedKey; readonly at: number }>();
  const wrong = createRateWindow({ max: maxWrong, windowMs }, clock);
  let earlier: Promise<unknown> = Promise.resolve();

  async function check(secret: string, hash: string, address: string): Promise<ServedKey | null> {
    const key = await verify(secret);
    known.delete(hash);
    if (key === null) {
      wrong.add(address);
      return null;
    }
    known.set(hash, { key, at: clock.now().getTime() });
    if (known.size > maxKnown) known.delete(known.keys().next().value as string);
    return key;
  }

  async function checkUnknown(secret: string, hash: string, address: string): Promise<ServedKey | null> {
    const retryAfterMs = wrong.waitMs(address);
    if (retryAfterMs === 0) return check(secret, hash, address);
    const message = `Too many requests with a wrong key came from this address. Wait ${Math.ceil(retryAfterMs / 1000)} s.`;
    throw new Fault(429, "rate_limited", message, { retryAfterMs });
  }

  return {
    recent: (secret) => known.get(hashOfSecret(secret))?.key ?? null,
    unchecked(secret) {
      const found = known.get(hashOfSecret(secret));
      return found !== undefined && clock.now().getTime() - found.at < recordedMs ? found.key : null;
    },
    verify(secret, address) {
      const hash = hashOfSecret(secret);
      if (known.has(hash)) return check(secret, hash, address);
      const checked = earlier.then(() => checkUnknown(secret, hash, address));
      earlier = checked.catch(() => undefined);
      return checked;
    },
  };
}
