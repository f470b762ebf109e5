// JSON as PostgreSQL's jsonb accepts it.
// Invariant: whatever strings go in, the database never refuses the result for its characters.

/** The value as JSON text, with NUL and lone surrogates, in keys too, replaced by U+FFFD. */
export function storableJson(value: unknown): string {
  // JSON.stringify escapes exactly these (well-formed pairs are written raw), so one pass over the escapes is enough.
  return JSON.stringify(value).replaceAll(/\\(?:u0000|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gu, (escape) =>
    /^\\u(?:0000|[dD])/u.test(escape) ? "\uFFFD" : escape,
  );
}
