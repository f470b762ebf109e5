// Secrets that this program makes, and the hash by which it knows them again.
// Invariant: a secret of its own has 256 random bits, so its hash needs no salt.
import { createHash, randomBytes } from "node:crypto";

/** Returns `prefix` and 43 characters. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** Returns the SHA-256 in hexadecimal. */
export function hashOfSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
