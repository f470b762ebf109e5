// Parses a query in double quotes, the only syntax of searches.
// Invariant: only one pair of quotes around the whole query has a meaning.

/** Returns the text between the quotes, unchanged; undefined for a query without quotes. */
export function quotedLiteral(query: string): string | undefined {
  return /^"(?<literal>[\s\S]*)"$/u.exec(query.trim())?.groups?.["literal"];
}
