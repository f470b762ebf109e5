// Creates a Tool from a name, a description, a schema and a function.
// Invariant: a defined tool can be offered to any provider; a definition that cannot is refused here, with an error
// that names the tool and the field.
import type { z } from "zod";
import { type ArgumentFault, argumentError, faultOf } from "../arguments/argument-error.ts";
import { checkOptions } from "../arguments/check-options.ts";
import type { JsonSchemaObject } from "./json-arguments.ts";
import { toToolParameters } from "./parameters.ts";
import type { JsonParameterSchema, ParameterSchema, Tool, ToolContext, ToolOutput, Zod3Schema } from "./tool.ts";

/** What `run` gets: the output of the zod schema, or the values that the JSON Schema describes. */
export type ToolArguments<Schema extends ParameterSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends Zod3Schema
    ? Schema["_output"]
    : Schema extends JsonParameterSchema
      ? JsonSchemaObject<Schema>
      : never;

export interface ToolDefinition<Schema extends ParameterSchema> {
  /** Letters, digits, `_` and `-`, at most 64: the names that both providers accept. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** A zod object or a JSON Schema of an object; every field must have a type. A description helps the model. */
  readonly parameters: Schema;
  /** Default `external`. Use `memory` if `run` changes only its context's memory. */
  readonly effects?: "memory" | "external";
  /** Default false: a result over the agent's limit is truncated, with a note. */
  readonly wholeResult?: boolean;
  /** Default false. Use true if a person must approve each call before it runs. */
  readonly approval?: boolean;
  run(args: ToolArguments<Schema>, context: ToolContext): ToolOutput;
}

const definitionKeys = Object.keys({
  name: true,
  description: true,
  parameters: true,
  effects: true,
  wholeResult: true,
  approval: true,
  run: true,
} satisfies Record<keyof ToolDefinition<ParameterSchema>, true>);

const forRun = "Use `run`.";
const forParameters = "Use `parameters`.";
const forApproval = "Use `approval`.";
/** What these are called in other libraries. */
const otherNames = {
  execute: forRun,
  handler: forRun,
  func: forRun,
  function: forRun,
  call: forRun,
  callback: forRun,
  invoke: forRun,
  schema: forParameters,
  inputSchema: forParameters,
  input_schema: forParameters,
  args: forParameters,
  arguments: forParameters,
  needsApproval: forApproval,
  requiresApproval: forApproval,
};

/** Throws DefinitionError if the name, the description, a parameter or another field is invalid. */
export function defineTool<const Schema extends ParameterSchema>(definition: ToolDefinition<Schema>): Tool {
  const call = "defineTool";
  checkOptions(definition, { of: "tool", call, argument: "definition", keys: definitionKeys, otherNames });
  const { name, description, effects = "external", wholeResult = false, approval = false } = definition;
  checkName(name);
  const named = `${call}("${name}")`;
  if (typeof description !== "string" || description.trim() === "") {
    const problem = typeof description === "string" ? "a blank one" : "none";
    const advice = "say what it does and when to use it.";
    throw faultOf("tool", "description", `Expected a description for tool "${name}", got ${problem}: ${advice}`);
  }
  checkFields(named, definition);
  const parameters = toToolParameters(name, definition.parameters);
  // The cast is sound: `run` gets only values of `parameters.parse`, whose type is the schema's output type.
  const run = (args: unknown, context: ToolContext): ToolOutput =>
    definition.run(args as ToolArguments<Schema>, context);
  return { name, description, parameters, effects, wholeResult, approval, run };
}

function checkName(name: unknown): void {
  const fault = { call: "defineTool", field: "name", expected: "a string", got: name };
  if (typeof name !== "string") throw argumentError("tool", { ...fault, remedy: "Give the tool a name." });
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  const shown = JSON.stringify(name.slice(0, 80).toWellFormed());
  throw faultOf("tool", "name", `Expected a tool name of 1 to 64 letters, digits, "_" or "-", got ${shown}.`);
}

function checkFields(
  call: string,
  { run, effects, wholeResult, approval }: Readonly<Partial<Record<keyof ToolDefinition<ParameterSchema>, unknown>>>,
): void {
  const refuse = (fault: Omit<ArgumentFault, "call">) => argumentError("tool", { call, ...fault });
  if (typeof run !== "function") {
    const remedy = "`run(args, context)` does the work and returns the result for the model.";
    throw refuse({ field: "run", expected: "a function", got: run, remedy });
  }
  if (effects !== undefined && effects !== "memory" && effects !== "external") {
    throw refuse({ field: "effects", expected: '"memory" or "external"', got: effects });
  }
  for (const [field, value] of Object.entries({ wholeResult, approval })) {
    if (value !== undefined && typeof value !== "boolean") {
      throw refuse({ field, expected: "true or false", got: value });
    }
  }
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
