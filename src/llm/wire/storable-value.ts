// A JSON value with all its texts as every provider takes them.
// Invariant: keys are texts too; a value whose texts are fine comes back equal.
import { storableText } from "../../base/code-points.ts";

/** Replaces lone surrogates and NUL in every text and every key of a JSON value. */
export function storableValue<Value>(value: Value): Value {
  if (typeof value === "string") return storableText(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => storableValue(item)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableValue<unknown>(item)]),
  ) as Value;
}
