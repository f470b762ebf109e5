// Which texts PostgreSQL takes for a uuid, so that a mistyped id is "not found" and no failed statement.

/** Whether the text is a UUID as it is usually written, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}
