// Creates version 7 UUIDs (RFC 9562), which sort by creation time, also within one millisecond. Creates secrets, such
// as keys, and the hashes that are stored to recognize secrets.
// Invariant: a secret has 256 random bits, so its hash needs no salt.
import { createHash, randomBytes, randomUUID } from "node:crypto";

/** Creates identifiers; tests pass a counter. */
export interface Ids {
  next(): string;
}

/** Returns the smallest UUIDv7 of a moment: all ids created at that moment or later are equal or larger. */
export function firstIdAt(moment: Date): string {
  const time = timeOf(moment.getTime());
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

function timeOf(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

/** Creates a generator of UUIDv7. Its ids strictly increase, by a 12-bit counter in `rand_a` (RFC 9562, method 1). */
export function createIds(now: () => number = Date.now): Ids {
  let lastMs = 0;
  let counter = 0;
  return {
    next() {
      const ms = Math.max(now(), lastMs);
      counter = ms === lastMs ? counter + 1 : 0;
      lastMs = ms;
      if (counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
      const time = timeOf(lastMs);
      const sequence = counter.toString(16).padStart(3, "0");
      // The last 64 bits of a version 4 UUID can be used: as in version 7, they are the variant and random bits.
      return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${randomUUID().slice(19)}`;
    },
  };
}

/** Returns a random secret: `prefix` followed by 43 characters. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Derives a UUID of this version from a text: the same text always gives the same UUID. */
export function uuidOfText(text: string, version: 4 | 8): string {
  const hex = sha256Of(text);
  const last = [`${version}${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return [hex.slice(0, 8), hex.slice(8, 12), ...last].join("-");
}
