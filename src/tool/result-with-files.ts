// Represents a tool result that consists of a text and files for the model.
import { fileInput } from "../base/arguments/file-input.ts";
import { DefinitionError } from "../base/errors.ts";
import type { FileInput } from "../base/message/file-part.ts";

/** A result with files, created by `withFiles`; a class, so that no JSON returned by a tool can be mistaken for it. */
export class ResultWithFiles {
  /** The result without its files. */
  readonly text: unknown;
  readonly files: readonly FileInput[];

  constructor(text: unknown, files: readonly FileInput[]) {
    this.text = text;
    this.files = files;
  }
}

/**
 * Returns a tool's result with files: `return withFiles("The chart.", [{ data, name: "chart.png" }])`. The files are stored
 * with the result; a file that cannot be attached makes the call fail, with the reason for the model. Throws DefinitionError if
 * the files are not a list of files.
 */
export function withFiles(text: unknown, files: readonly FileInput[]): ResultWithFiles {
  if (!Array.isArray(files))
    throw new DefinitionError("tool_definition_invalid", "withFiles: expected a list of files as its second argument.");
  for (const [at, file] of files.entries()) fileInput(file, { of: "tool", call: "withFiles", field: `files[${at}]` });
  return new ResultWithFiles(text, files);
}
