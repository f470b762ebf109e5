// Validates the parts of a request against the schemas of its route.
// Invariant: a refusal names each invalid field and what was expected, and repeats no value that was sent.
import type * as z from "zod";
import { Fault } from "./fault.ts";

/** Returns the value as the schema parses it. Throws Fault `request_invalid` with a line for each invalid field. */
export function valid(schema: z.ZodType, value: unknown, part: "path" | "query" | "body"): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path, message }) => ({ field: [part, ...path].join("."), message }));
  const lines = fields.map(({ field, message }) => `${field}: ${message}`);
  throw new Fault(400, "request_invalid", lines.join("; "), { fields });
}

/** Returns a query as an object; a repeated parameter becomes a list. */
export function queryOf(search: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}
