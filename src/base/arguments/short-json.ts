// Limits the length of the JSON objects that callers store with a record.
// Invariant: pure; an error contains the length of the JSON, never its text.
import { codePointLength } from "../code-points.ts";
import { RequestError } from "../errors.ts";

/** Maximum length of an object as JSON, in code points. */
const maxLength = 100_000;

/** The field that holds an object, and the record that it belongs to, as an error names them. */
interface FieldOfRecord {
  /** The record, as the first words of the error message: "An agent". */
  readonly subject: string;
  readonly field: string;
}

/** Checks that an object is short enough to be stored. Throws RequestError `input_invalid`. */
export function requireShortJson({ subject, field }: FieldOfRecord, value: Readonly<Record<string, unknown>>): void {
  const length = codePointLength(JSON.stringify(value));
  if (length <= maxLength) return;
  const expected = `at most ${maxLength} characters as JSON`;
  throw new RequestError("input_invalid", `${subject}: expected \`${field}\` to be ${expected}, got ${length}.`, {
    field,
  });
}
