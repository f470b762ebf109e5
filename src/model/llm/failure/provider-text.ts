// Makes a provider's error text safe to show: one line, bounded length, without keys.
// Invariant: no known secret and nothing that looks like a key is in the result.
import { takeCodePoints } from "../../../base/code-points.ts";

const maxShownLength = 300;
const keyLike = /\b(?:sk|pk|rk|gsk|xai)[-_][\w*.…-]{3,}|\b(Bearer|Basic)\s+[\w.~+/=*-]{6,}/gi;
/** Greedy: a password may contain an @. */
const urlCredentials = /:\/\/[^\s/"'<>]*@/g;

/** Returns the text with every secret, and everything that looks like a key, replaced by `[key]`. */
export function maskKeys(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text);
  return masked.replace(urlCredentials, "://[key]@").replace(keyLike, "[key]");
}

/** Returns a provider's text for an error message: one line of at most 300 characters. An HTML page is omitted. */
export function quoteProvider(text: string, secrets: readonly string[]): string {
  const line = maskKeys(text, secrets).replaceAll(/\s+/g, " ").trim();
  if (line.startsWith("<")) return "";
  const shown = takeCodePoints(line, maxShownLength);
  return shown.length < line.length ? `${shown}…` : shown;
}
