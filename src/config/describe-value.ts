// What a person wrote, as a message about it shows it.
// Invariant: never longer than a line; nothing of a URL before its host, in its query or in its fragment is shown; linear time.

/** A value for a message: clipped, on one line, and without the parts of a URL that may hold a secret. */
export function describeValue(value: unknown): string {
  const safe = withoutQuery(withoutCredentials(JSON.stringify(value) ?? String(value)));
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}

/** Up to the last @: a password may contain one, and blanks and slashes too. */
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
