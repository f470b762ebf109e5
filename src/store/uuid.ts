// Checks whether PostgreSQL accepts a text as a uuid, so that a mistyped id is "not found" instead of a failed
// statement.

/** Whether the text is a UUID in the usual notation, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}

/** Returns the ids that are UUIDs, as a JSON array. */
export function storableIds(ids: readonly string[]): string {
  return JSON.stringify(ids.filter(isUuid));
}

/** SQL for the ids in a parameter that `storableIds` has written. */
export function idsIn(parameter: string): string {
  return `select value::uuid from jsonb_array_elements_text(${parameter}::text::jsonb)`;
}
