// What a person wrote, as a message about it shows it.
// Invariant: never longer than a line, and never what a URL holds before its host.

/** A value for a message: clipped, on one line, and without what a URL may hold before its host. */
export function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const safe = text.replace(/:\/\/[^/@\s]*@/gu, "://…@");
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}
