// Creates a Tool from a name, a description, a zod schema and a function.
// Invariant: a defined tool can be offered to any provider; a definition that cannot is refused here, with an error
// that names it.
import type { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { toToolParameters } from "./parameters.ts";
import type { ParameterSchema, Tool, ToolContext, ToolOutput, Zod3Schema } from "./tool.ts";

/** What `run` gets: the output of the schema. */
export type ToolArguments<Schema extends ParameterSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends Zod3Schema
    ? Schema["_output"]
    : never;

export interface ToolDefinition<Schema extends ParameterSchema> {
  /** Letters, digits, `_` and `-`, at most 64: the names that both providers accept. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** A zod object; every field must have a type and a description. */
  readonly parameters: Schema;
  /** Default `external`. Use `memory` if `run` changes only its context's memory. */
  readonly effects?: "memory" | "external";
  /** Default false: a result over the agent's limit is truncated, with a note. */
  readonly wholeResult?: boolean;
  /** Default false. Use true if a person must approve each call before it runs. */
  readonly approval?: boolean;
  run(args: ToolArguments<Schema>, context: ToolContext): ToolOutput;
}

/** Throws DefinitionError if the name, the description or a parameter is invalid. */
export function defineTool<Schema extends ParameterSchema>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, effects = "external", wholeResult = false, approval = false } = definition;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new DefinitionError(
      "tool_definition_invalid",
      `Expected a tool name of 1 to 64 letters, digits, "_" or "-", got "${name}".`,
    );
  }
  if (description.trim() === "") {
    throw new DefinitionError(
      "tool_definition_invalid",
      `Expected a description for tool "${name}", got none: say what it does and when to use it.`,
    );
  }
  const parameters = toToolParameters(name, definition.parameters);
  // The cast is sound: `run` gets only values of `parameters.parse`, whose type is the schema's output type.
  const run = (args: unknown, context: ToolContext): ToolOutput =>
    definition.run(args as ToolArguments<Schema>, context);
  return { name, description, parameters, effects, wholeResult, approval, run };
}

// The mark is on the function that runs, so that a tool of a program cannot claim it.
const own = Symbol("the runtime's own tool");

/** Marks a tool as the runtime's own: its results derive only from the user's memory and the call's arguments. */
export function ownTool(tool: Tool): Tool {
  const run: Tool["run"] = (args, context) => tool.run(args, context);
  Object.defineProperty(run, own, { value: true });
  return { ...tool, run };
}

export function isOwnTool({ run }: Tool): boolean {
  return own in run;
}
