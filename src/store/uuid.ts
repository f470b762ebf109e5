// Ids as PostgreSQL takes them, so that a mistyped id is "not found" instead of a failed statement.

/** Whether the text is a UUID in the usual notation, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text);
}

/** No row has it: ids contain the time of their creation, or random digits. */
const noId = "00000000-0000-0000-0000-000000000000";

/** Returns the id, or for a text that is not a UUID one that no row has. */
export function storableId(id: string): string {
  return isUuid(id) ? id : noId;
}

/** SQL for the ids in a parameter that is a list of ids. */
export function idsIn(parameter: string): string {
  return `select value::uuid from jsonb_array_elements_text(${parameter}::text::jsonb)`;
}
