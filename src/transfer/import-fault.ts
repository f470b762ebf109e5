// Creates the errors for a file or a database that cannot be imported.
// Invariant: a message names the place and what was expected there, and contains no text of the file.
import type * as z from "zod";
import { RequestError } from "../base/errors.ts";

/** Returns the error for an import that checks everything before it stores anything. `problem` has no final full stop. */
export function importInvalid(problem: string): RequestError {
  return new RequestError("import_invalid", `Cannot import: ${problem}. Nothing was stored.`);
}

/** Returns the error for an import that stores in parts. `problem` has no final full stop. */
export function importFault(problem: string, cause?: unknown): RequestError {
  return new RequestError("import_invalid", `Cannot import: ${problem}.`, { cause });
}

/** Returns the value as the form parses it. Throws RequestError `import_invalid`; `root` is the path of the value. */
export function importedAs<Form extends z.ZodType>(form: Form, value: unknown, root = ""): z.output<Form> {
  try {
    const { data, error } = form.safeParse(value);
    if (error === undefined) return data;
    throw importInvalid(faultText(root, error));
  } catch (error) {
    // Zod passes the problems of a list as arguments of one call, which can exceed the stack.
    throw error instanceof RangeError ? importInvalid("its lists have too many invalid items to name them") : error;
  }
}

/** Returns the first fault of a value, with its path: `agents[0].name: expected …`. */
export function faultText(root: string, { issues }: z.ZodError): string {
  const [first] = issues;
  if (first === undefined) return `${root} has the wrong shape`;
  const path = first.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const place = `${root}${path}`.replace(/^\./u, "");
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `${place}: ${problemOf(first)}${more}`;
}

// Zod's own text is not used, because it can contain the unexpected value.
function problemOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${issue.expected}`;
    case "unrecognized_keys":
      return "unknown keys";
    case "invalid_value":
      return `expected one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "a value of the wrong shape";
    case "too_small":
    case "too_big":
      return "a value out of range";
    default:
      return issue.message;
  }
}
