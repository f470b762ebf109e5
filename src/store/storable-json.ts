// Serializes JSON in a form that PostgreSQL's jsonb accepts.
// Invariant: the database never refuses the result for its characters, whatever the strings contain.

/** Returns the value as JSON text with NUL and lone surrogates, also in keys, replaced by U+FFFD. */
export function storableJson(value: unknown): string {
  // JSON.stringify escapes exactly these (well-formed pairs are written unescaped), so one pass over the escapes is
  // enough.
  return JSON.stringify(value).replaceAll(/\\(?:u0000|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gu, (escape) =>
    /^\\u(?:0000|[dD])/u.test(escape) ? "\uFFFD" : escape,
  );
}
