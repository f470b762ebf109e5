// The arguments and options of the functions for imports, with the check of each.
// Invariant: only shapes are checked here.
import {
  type ArgumentCheck,
  callback,
  type CallChecks,
  flag,
  later,
  oneOf,
  optional,
  options,
  signal,
  text,
} from "../../../base/arguments/argument-checks.ts";
import { argumentError } from "../../../base/arguments/argument-error.ts";
import type { ImportForm, ImportOperations, ImportOptions } from "../../imports.ts";

/** An `ImportSource`. */
const source: ArgumentCheck = (value, place) => {
  if (typeof value === "string") return;
  if (typeof value === "object" && value !== null && Symbol.asyncIterator in value) return;
  const expected = "a path or a stream of bytes";
  throw argumentError(place.of, {
    ...place,
    expected,
    got: value,
    remedy: 'Pass a path such as "conversations.json".',
  });
};

export const importChecks: CallChecks<ImportOperations> = {
  run: later(
    ["agent", text],
    ["source", source],
    [
      "options",
      options<ImportOptions>({
        form: oneOf<ImportForm>("chatgpt", "claude", "mem0"),
        dryRun: optional(flag),
        onProgress: optional(callback),
        signal: optional(signal),
      }),
    ],
  ),
};
