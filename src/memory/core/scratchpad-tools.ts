// The tools by which a model keeps a scratchpad, derived from its schema.
// Invariant: all three take the fields of the schema under their own names; each edit is checked as a whole or refused.
import { z } from "zod";
import { messageOf } from "../../base/error-message.ts";
import { DefinitionError } from "../../errors.ts";
import { toToolParameters } from "../../tool/parameters.ts";
import { ownTool } from "../../tool/define-tool.ts";
import type { CoreMemoryDraft, Tool, ToolParameters } from "../../tool/tool.ts";
import {
  addToScratchpad,
  removeFromScratchpad,
  type ScratchpadEdit,
  scratchpadLabel,
  type ScratchpadState,
  updateScratchpad,
} from "./scratchpad-state.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The fields as JSON schema, and the tools. */
export interface ScratchpadTools {
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly tools: readonly Tool[];
}

const ofTheTask = "the scratchpad, your record of the task at hand";

/**
 * The tools edit the core memory of their context. Throws DefinitionError for a schema that cannot be stored as JSON and read
 * back, or a field without a type or a description.
 */
export function defineScratchpadTools(schema: z.ZodObject): ScratchpadTools {
  const { fields, rest } = fieldSchemas(schema);
  const lists = Object.entries(fields).filter(([, field]) => field["type"] === "array");
  const listTools = `Lists are replaced as a whole: for single items there are scratchpad_add and scratchpad_remove.`;
  const update = scratchpadTool({
    name: "scratchpad_update",
    description: `Replace fields of ${ofTheTask}. What you leave out stays as it is.${lists.length > 0 ? ` ${listTools}` : ""}`,
    properties: fields,
    rest,
    change: (text, request) => updateScratchpad(schema, text, request),
  });
  if (lists.length === 0) return { fields, tools: [update] };
  const add = scratchpadTool({
    name: "scratchpad_add",
    description: `Add items to lists of ${ofTheTask}.`,
    properties: Object.fromEntries(lists.map(([name, field]) => [name, described(field, "Items to add")])),
    rest,
    change: (text, request) => addToScratchpad(schema, text, request),
  });
  const remove = scratchpadTool({
    name: "scratchpad_remove",
    description: `Remove items from lists of ${ofTheTask}, when they no longer hold. Each is an exact copy of one that stands there.`,
    properties: Object.fromEntries(lists.map(([name, field]) => [name, described(field, "Items to remove")])),
    rest,
    change: (text, request) => removeFromScratchpad(schema, text, request),
  });
  return { fields, tools: [update, add, remove] };
}

interface ScratchpadToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** What else the JSON schema has: definitions that its fields name. */
  readonly rest: JsonSchema;
  readonly change: (text: string, request: ScratchpadState) => ScratchpadEdit;
}

function scratchpadTool({ name, description, properties, rest, change }: ScratchpadToolDefinition): Tool {
  const parameters: ToolParameters<unknown> = {
    jsonSchema: { ...rest, properties, required: [] },
    // What is given is checked together with what stands there, by the schema as a whole.
    parse: (input) => input,
  };
  const run = (args: unknown, { core }: { readonly core: CoreMemoryDraft }): string | undefined => {
    let note: string | undefined;
    core.edit(scratchpadLabel, (text) => {
      const edit = change(text, args as ScratchpadState);
      note = edit.note;
      return edit.text;
    });
    return note;
  };
  return ownTool({ name, description, parameters, effects: "memory", wholeResult: false, approval: false, run });
}

/** None is required of the model, and a default is none of its business: what it leaves out stays. */
function fieldSchemas(schema: z.ZodObject): Pick<ScratchpadTools, "fields"> & { readonly rest: JsonSchema } {
  requireJson(schema);
  const { properties, ...rest } = toToolParameters("scratchpad_update", schema).jsonSchema;
  const entries = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return {
    fields: Object.fromEntries(entries.map(([name, { default: _default, ...field }]) => [name, field] as const)),
    rest,
  };
}

function requireJson(schema: z.ZodObject): void {
  if (Object.keys(schema.shape).length === 0) throw badSchema("it has no field");
  try {
    // Refuses what has no form in JSON (dates, maps) and what is not read back as it was written (transforms).
    z.toJSONSchema(schema, { io: "output" });
  } catch (error) {
    throw badSchema(messageOf(error));
  }
}

function badSchema(problem: string): DefinitionError {
  return new DefinitionError(
    "memory_definition_invalid",
    `The schema of a scratchpad must be a z.object whose fields are stored as JSON and read back the same: ${problem}.`,
  );
}

function described(field: JsonSchema, what: string): JsonSchema {
  return { ...field, description: `${what}. ${String(field["description"])}` };
}
