// The error for the content of a file that cannot be imported.
// Invariant: a message names the file and the place, and contains no text of the file. It does not say what was stored: the
// import adds that.
import { RequestError } from "../errors.ts";

/** `problem` has no final full stop. */
export function importFault(problem: string, cause?: unknown): RequestError {
  return new RequestError("import_invalid", `Cannot import: ${problem}.`, { cause });
}
