// Values as they are sent to the database.
// Invariant: every parameter of every statement is converted here, so no caller has to: a text or JSON with characters that
// PostgreSQL cannot store loses them, and an id that is not a UUID identifies no row instead of failing the statement.
import { storableJson, storableText } from "../../base/code-points.ts";
import { timeText } from "../stored-times.ts";
import { idsIn, storableId } from "../uuid.ts";

/** Undefined is sent as null, a list or another object as JSON text. */
export type SqlParameter = string | number | boolean | Date | object | null | undefined;

/** Returns the parameters of a statement as the driver takes them. A text is an id where the statement casts it to one, and a list has ids where the statement reads it by `idsIn`. */
export function sentParameters(
  statement: string,
  parameters: readonly SqlParameter[],
): (string | number | boolean | null)[] {
  return parameters.map((value, index) => {
    if (typeof value === "string") {
      return statement.includes(`$${index + 1}::uuid`) ? storableId(value) : storableText(value);
    }
    if (typeof value !== "object") return value ?? null;
    if (value === null) return null;
    if (value instanceof Date) return timeText(value);
    const areIds = Array.isArray(value) && statement.includes(idsIn(`$${index + 1}`));
    return storableJson(areIds ? (value as readonly string[]).map(storableId) : value);
  });
}
