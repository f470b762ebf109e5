// Derives ids of imported rows from the ids that they have in another program.
// Invariant: the same words give the same id in every process and version, so that an import is repeatable.
import { createHash } from "node:crypto";

/** Returns a UUID of version 8 (RFC 9562), made of the bits of a SHA-256 hash. */
export function derivedId(...words: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(words)).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
