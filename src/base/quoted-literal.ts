// A query in double quotes: the one piece of syntax that searches have.
// Invariant: only one pair of quotes around all of the query means something.

/** What stands between the quotes, as it stands; undefined for a query that is not in quotes. */
export function quotedLiteral(query: string): string | undefined {
  return /^"(?<literal>[\s\S]*)"$/u.exec(query.trim())?.groups?.["literal"];
}
