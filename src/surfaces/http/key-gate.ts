// Finds the user of a key, and keeps wrong keys from costing others: what an address sends is checked until it was wrong too often.
// Invariant: a key that was valid lately is always checked, so that nobody at the same address (a proxy's, for example) is refused
// because of others. Unknown keys are checked one after the other. Only hashes are kept.
import type { Clock } from "../../base/clock.ts";
import { hashOfSecret } from "../../base/ids.ts";
import type { HostKeys } from "../../runtime/keys/contract.ts";
import { Fault } from "./fault.ts";
import { createRateWindow } from "./rate-window.ts";

/** A valid key: whose it is, and what it allows. */
export type ServedKey = NonNullable<Awaited<ReturnType<HostKeys["verify"]>>>;

export type VerifyKey = (secret: string) => Promise<ServedKey | null>;

export interface KeyGate {
  /** Returns a key that was valid lately, without asking the database. */
  recent(secret: string): Pick<ServedKey, "userId" | "keyId"> | null;
  /** Returns null for a wrong key. Throws Fault `rate_limited` without checking it if the address has sent too many. */
  verify(secret: string, address: string): Promise<ServedKey | null>;
}

/** Wrong keys of an address in this many milliseconds. */
const maxWrong = 20;
const windowMs = 10_000;

/** Keys whose user is remembered: those that were used last. */
const maxKnown = 10_000;

export function createKeyGate(verify: VerifyKey, clock: Pick<Clock, "now">): KeyGate {
  const known = new Map<string, ServedKey>();
  const wrong = createRateWindow({ max: maxWrong, windowMs }, clock);
  let earlier: Promise<unknown> = Promise.resolve();

  async function check(secret: string, hash: string, address: string): Promise<ServedKey | null> {
    const key = await verify(secret);
    known.delete(hash);
    if (key === null) {
      wrong.add(address);
      return null;
    }
    known.set(hash, key);
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
    recent: (secret) => known.get(hashOfSecret(secret)) ?? null,
    verify(secret, address) {
      const hash = hashOfSecret(secret);
      if (known.has(hash)) return check(secret, hash, address);
      const checked = earlier.then(() => checkUnknown(secret, hash, address));
      earlier = checked.catch(() => undefined);
      return checked;
    },
  };
}
