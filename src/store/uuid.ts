// Checks whether PostgreSQL accepts a text as a uuid, so that a mistyped id is "not found" instead of a failed
// statement.

/** Whether the text is a UUID in the usual notation, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}
