// What a tool returns that has files to show to the model besides its text.
import { DefinitionError } from "../errors.ts";
import type { FileInput } from "../message/file-part.ts";

/** Made by `withFiles`; a class, so that no JSON that a tool returns can be taken for one. */
export class ResultWithFiles {
  /** As a tool returns it without files. */
  readonly text: unknown;
  readonly files: readonly FileInput[];

  constructor(text: unknown, files: readonly FileInput[]) {
    this.text = text;
    this.files = files;
  }
}

/**
 * A tool's result with files: `return withFiles("The chart.", [{ data, name: "chart.png" }])`. They are stored with the result;
 * one that cannot be attached makes the call fail, with the reason for the model. Throws DefinitionError for no list of files.
 */
export function withFiles(text: unknown, files: readonly FileInput[]): ResultWithFiles {
  if (Array.isArray(files)) return new ResultWithFiles(text, files);
  throw new DefinitionError("tool_definition_invalid", "withFiles: expected a list of files as its second argument.");
}
