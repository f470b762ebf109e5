// Formats a user's value for a message, or the part of it that is invalid.
// Invariant: at most one line; a URL is shown without credentials, query and fragment; linear time.
import type { z } from "zod";

/**
 * Formats a value for a message: at most 80 UTF-16 units, on one line, without the parts of a URL that may contain a secret.
 */
export function describeValue(value: unknown): string {
  const safe = withoutQuery(withoutCredentials(JSON.stringify(value) ?? String(value)));
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}

/** Returns a URL without the text up to its last @: the password in this text may itself contain @, spaces and slashes. */
function withoutCredentials(text: string): string {
  const colon = text.indexOf(":");
  const end = text.lastIndexOf("@");
  if (colon === -1 || end < colon) return text;
  const scheme = /^"?(?:[a-z\d+.-]{1,20}:){1,2}\/\//iu.exec(text)?.[0] ?? '"';
  return `${scheme}…${text.slice(end)}`;
}

function withoutQuery(text: string): string {
  const start = text.indexOf("://");
  const end = start === -1 ? -1 : text.slice(start).search(/[?#]/u);
  return end === -1 ? text : `${text.slice(0, start + end + 1)}…"`;
}

/** Describes the part of the value that zod's first issue refers to. */
export function describeFault(value: unknown, { issues: [issue] }: z.ZodError): string {
  const unknownKeys = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknownKeys].map(String);
  if (path.length === 0 || typeof value !== "object" || Array.isArray(value)) return describeValue(value);
  const part = path.reduce<unknown>((whole, key) => partOf(whole, key), value);
  return `${part === undefined ? "nothing" : describeValue(part)} at ${describeValue(path.join("."))}`;
}

function partOf(whole: unknown, key: string): unknown {
  const isObject = typeof whole === "object" && whole !== null;
  return isObject && Object.hasOwn(whole, key) ? (whole as Readonly<Record<string, unknown>>)[key] : undefined;
}
