// Formats a user's value for a message.
// Invariant: at most one line; shows no part of a URL before its host, in its query or in its fragment; linear time.

/**
 * Formats a value for a message: at most 80 UTF-16 units, on one line, without the parts of a URL that may contain a secret.
 */
export function describeValue(value: unknown): string {
  const safe = withoutQuery(withoutCredentials(JSON.stringify(value) ?? String(value)));
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}

/** Removes the text up to the last @, because a password may contain @, spaces and slashes. */
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
