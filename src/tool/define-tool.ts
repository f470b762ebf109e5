// Creates a Tool from a name, a description, a schema and a function, and checks whether a value is a Tool.
// Invariant: a defined tool can be offered to any provider; any other definition is refused here, with an error that names
// the tool and the field. A part of a literal JSON Schema that is not understood has the type `unknown`, never a wrong one.
// `isTool` accepts exactly the objects that the loop can describe, validate and run.
import type { z } from "zod";
import {
  anything,
  type ArgumentPlace,
  checkThat,
  flag,
  oneOf,
  optional,
  options,
  text,
  describeKind,
  faultOf,
  type ArgumentCheck,
  isPlainObject,
  argumentError,
} from "../base/arguments/argument-checks.ts";
import { isObject } from "../base/json-values.ts";
import { toToolParameters } from "./parameters.ts";
import type { JsonParameterSchema, ParameterSchema, Tool, ToolContext, ToolOutput, Zod3Schema } from "./tool.ts";

/** The arguments of `run`: the output of the zod schema, or the values that the JSON Schema describes. */
export type ToolArguments<Schema extends ParameterSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends Zod3Schema
    ? Schema["_output"]
    : Schema extends JsonParameterSchema
      ? JsonSchemaObject<Schema>
      : never;

export interface ToolDefinition<Schema extends ParameterSchema> {
  /** Letters, digits, `_` and `-`, at most 64: names that every provider accepts. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** A zod object or a JSON Schema of an object; every field must have a type. A field's description helps the model. */
  readonly parameters: Schema;
  /** Default `external`. Use `memory` if `run` changes only its context's memory. */
  readonly effects?: "memory" | "external";
  /** If true, results are never truncated. Default false: a result over the agent's limit is truncated, with a note. */
  readonly wholeResult?: boolean;
  /** Default false. Use true if a person must approve each call before it runs. */
  readonly approval?: boolean;
  /**
   * Returns what the call would do, for the person who approves it. Must change nothing. An error that it throws becomes
   * the call's result, and no approval is requested.
   */
  preview?(args: ToolArguments<Schema>): Promise<string>;
  /** Does the work, and returns the result for the model. Throw ToolError for a failure that the model can act on. */
  run(args: ToolArguments<Schema>, context: ToolContext): ToolOutput;
}

const advised = (names: string, advice: string) => Object.fromEntries(names.split(" ").map((name) => [name, advice]));

/** Names that other libraries use for the fields of a tool, each with the advice for the error. */
const otherNames = {
  ...advised("execute handler func function call callback invoke", "Use `run`."),
  ...advised("schema inputSchema input_schema args arguments", "Use `parameters`."),
  ...advised("needsApproval requiresApproval", "Use `approval`."),
};

const checkDefinition = options<ToolDefinition<ParameterSchema>>(
  {
    name: checkName,
    description: checkDescription,
    parameters: anything,
    effects: optional(oneOf("memory", "external")),
    wholeResult: optional(flag),
    approval: optional(flag),
    preview: optional(
      checkThat(
        "a function",
        (value) => typeof value === "function",
        "`preview(args)` returns what the call would do, for the person who approves it.",
      ),
    ),
    run: checkThat(
      "a function",
      (value) => typeof value === "function",
      "`run(args, context)` does the work and returns the result for the model.",
    ),
  },
  { otherNames },
);

/** Returns a tool. Throws DefinitionError if the name, the description, a parameter or another field is invalid. */
export function defineTool<const Schema extends ParameterSchema>(definition: ToolDefinition<Schema>): Tool {
  checkDefinition(definition, { of: "tool", call: callOf(definition), field: "definition", isArgument: true });
  const { name, description, effects = "external", wholeResult = false, approval = false } = definition;
  const parameters = toToolParameters(name, definition.parameters);
  // The cast is sound: `run` gets only values from `parameters.parse`, which have the schema's output type.
  const run = (args: unknown, context: ToolContext): ToolOutput =>
    definition.run(args as ToolArguments<Schema>, context);
  const { preview: describe } = definition;
  const preview = (args: unknown): Promise<string> => definition.preview!(args as ToolArguments<Schema>);
  const previewed = describe === undefined ? {} : { preview };
  return { name, description, parameters, effects, wholeResult, approval, ...previewed, run };
}

/** Returns `defineTool("roll_dice")` for error messages: a program may define many tools. */
function callOf(definition: { readonly name: unknown } | undefined): string {
  const name = definition?.name;
  return typeof name === "string" ? `defineTool("${name.slice(0, 64).toWellFormed()}")` : "defineTool";
}

function checkName(name: unknown, place: ArgumentPlace): void {
  text(name, place);
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name as string)) return;
  throw faultOf("tool", "name", `${place.call}: expected a name of 1 to 64 letters, digits, "_" or "-".`);
}

function checkDescription(description: unknown, place: ArgumentPlace): void {
  if (typeof description === "string" && description.trim() !== "") return;
  const got = typeof description === "string" ? "a blank one" : describeKind(description);
  const problem = `${place.call}: expected a \`description\`, got ${got}.`;
  throw faultOf("tool", "description", `${problem} Say what the tool does and when to use it.`);
}

// A symbol on the tool's `run` marks the tool. The symbol is not exported, so that a program cannot mark its own tools.
const own = Symbol("the runtime's own tool");

interface OwnToolTraits {
  /** Whether the tool only edits its context's memory, and waits for nothing. */
  readonly isInstant?: boolean;
  /** Whether the tool's result only confirms an edit of memory. Default: true for an instant tool. */
  readonly confirms?: boolean;
  /** The type by which Anthropic's API knows the tool. Default: none; the request then describes the tool by its schema. */
  readonly anthropicType?: string;
}

/** Returns the tool, marked as the runtime's own: its results derive only from the user's memory and the call's arguments. */
export function ownTool(tool: Tool, { isInstant = false, confirms = isInstant, ...rest }: OwnToolTraits = {}): Tool {
  const run: Tool["run"] = (args, context) => tool.run(args, context);
  const traits: OwnToolTraits = { ...rest, isInstant, confirms };
  Object.defineProperty(run, own, { value: traits });
  return { ...tool, run };
}

const client = Symbol("a tool that the caller runs");

/** Returns the tool, marked as a client tool, which the caller runs: its calls wait for a result. */
export function clientTool(tool: Tool): Tool {
  const run: Tool["run"] = (args, context) => tool.run(args, context);
  Object.defineProperty(run, client, { value: true });
  return { ...tool, run };
}

const replied = Symbol("a tool whose calls may wait for a reply");

/** How a call of one of the runtime's own tools waits for the reply of another agent. */
export interface ReplyRequest {
  /** Whether a call with these arguments waits. */
  waits(args: unknown): boolean;
  /**
   * Sends the request for a reply, only once even if `ask` is repeated for one call. Returns the call's result if
   * nobody can be asked, otherwise null. Throws ToolError if the call must not wait.
   */
  ask(args: unknown, call: AskingCall): Promise<string | null>;
}

/** The ids of a call that asks another agent, and of the agent that made the call. */
export interface AskingCall extends Readonly<Record<"agentId" | "conversationId" | "messageId" | "callId", string>> {}

/** Returns the tool, marked so that a call waits for a reply if `request.waits` returns true for its arguments. */
export function repliedTool(tool: Tool, request: ReplyRequest): Tool {
  const marked = ownTool(tool);
  Object.defineProperty(marked.run, replied, { value: request });
  return marked;
}

/** Returns the request with which `repliedTool` marked the tool; null if the tool is not marked. */
export function replyRequestOf({ run }: Tool): ReplyRequest | null {
  return replied in run ? (run[replied] as ReplyRequest) : null;
}

export function isClientTool({ run }: Tool): boolean {
  return client in run;
}

export function isOwnTool({ run }: Tool): boolean {
  return own in run;
}

export function isInstantTool({ run }: Tool): boolean {
  return own in run && (run[own] as OwnToolTraits).isInstant === true;
}

/** Returns whether the tool's results only confirm an edit of memory: a reply that also has text then ends the turn. */
export function confirmsEdit({ run }: Tool): boolean {
  return own in run && (run[own] as OwnToolTraits).confirms === true;
}

/** Returns the type by which Anthropic's API knows the tool, as a field; no field for other tools. */
export function anthropicTypeOf({ run }: Tool): Pick<OwnToolTraits, "anthropicType"> {
  const { anthropicType } = own in run ? (run[own] as OwnToolTraits) : {};
  return anthropicType === undefined ? {} : { anthropicType };
}

export type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: "string" }
      ? string
      : Schema extends { readonly type: "number" | "integer" }
        ? number
        : Schema extends { readonly type: "boolean" }
          ? boolean
          : Schema extends { readonly type: "array" }
            ? readonly (Schema extends { readonly items: infer Items } ? JsonSchemaValue<Items> : unknown)[]
            : Schema extends { readonly type: "object" }
              ? JsonSchemaObject<Schema>
              : unknown;

/** The object that a JSON Schema of type `object` describes: a property that is not in `required` may be missing. */
export type JsonSchemaObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? {
      readonly [Key in keyof Properties as Schema extends { readonly required: readonly (infer Required)[] }
        ? Extract<Key, Required>
        : never]: JsonSchemaValue<Properties[Key]>;
    } & {
      readonly [Key in keyof Properties as Schema extends { readonly required: readonly (infer Required)[] }
        ? Exclude<Key, Required>
        : Key]?: JsonSchemaValue<Properties[Key]>;
    }
  : Readonly<Record<string, unknown>>;

const remedy = "Create it with defineTool({ name, description, parameters, run }).";

export const toolCheck: ArgumentCheck = (value, place) => {
  if (isTool(value)) return;
  const advice = typeof value === "function" ? `If it returns a tool, call it. ${remedy}` : remedy;
  throw argumentError(place.of, { ...place, expected: "a tool", got: value, remedy: advice });
};

/** Returns whether the value is a `Tool`, as `defineTool` of any copy of this package returns it. */
export function isTool(value: unknown): value is Tool {
  if (!isObject(value)) return false;
  const { name, description, parameters, effects, wholeResult, approval, run } = value;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof run === "function" &&
    isParameters(parameters) &&
    (effects === "memory" || effects === "external") &&
    typeof wholeResult === "boolean" &&
    typeof approval === "boolean"
  );
}

function isParameters(value: unknown): boolean {
  return isObject(value) && isPlainObject(value["jsonSchema"]) && typeof value["parse"] === "function";
}
