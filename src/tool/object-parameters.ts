// Parameters of a tool whose server checks the arguments against its schema.
// Invariant: nothing but an object reaches the server.
import { ToolError } from "../base/errors.ts";
import type { ToolParameters } from "./tool.ts";

/** `parse` throws ToolError for arguments that are no object. */
export function objectParameters(
  toolName: string,
  jsonSchema: ToolParameters<unknown>["jsonSchema"],
): ToolParameters<unknown> {
  return {
    jsonSchema,
    parse: (input) => {
      if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
      throw new ToolError(`${toolName}: expected the arguments to be an object. Nothing was done.`);
    },
  };
}
