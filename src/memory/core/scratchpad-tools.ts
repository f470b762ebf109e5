// Defines the tools with which a model edits a scratchpad, derived from its schema.
// Invariant: all three tools take the schema's fields under their own names; each edit is validated as a whole or
// refused.
import * as z from "zod";
import { messageOf } from "../../base/thrown-values.ts";
import { DefinitionError } from "../../base/errors.ts";
import { toToolParameters } from "../../tool/parameters.ts";
import { ownTool } from "../../tool/define-tool.ts";
import type { CoreMemoryDraft, Tool, ToolParameters } from "../../tool/tool.ts";
import { reportEdit } from "./memory-module.ts";
import {
  addToScratchpad,
  removeFromScratchpad,
  type ScratchpadEdit,
  scratchpadLabel,
  type ScratchpadState,
  updateScratchpad,
} from "./scratchpad-state.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The tools, and the fields as JSON Schema. */
export interface ScratchpadTools {
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly tools: readonly Tool[];
}

const ofTheTask = "the scratchpad, your record of the current task";

/**
 * Returns the tools for a schema; each call edits the core memory in its context. Throws DefinitionError for a schema that
 * cannot round-trip through JSON, or a field without a type or a description.
 */
export function defineScratchpadTools(schema: z.ZodObject): ScratchpadTools {
  const { fields, rest } = fieldSchemas(schema);
  const lists = Object.entries(fields).filter(([, field]) => field["type"] === "array");
  const listTools = `Lists are replaced as a whole: use scratchpad_add and scratchpad_remove for single items.`;
  const update = scratchpadTool({
    name: "scratchpad_update",
    description: `Replace fields of ${ofTheTask}. Fields that you leave out stay unchanged.${lists.length > 0 ? ` ${listTools}` : ""}`,
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
    description: `Remove items from lists of ${ofTheTask}, when they no longer apply. Each must be an exact copy of an item in the list.`,
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
  /** The rest of the JSON Schema: definitions that its fields refer to. */
  readonly rest: JsonSchema;
  readonly change: (text: string, request: ScratchpadState) => ScratchpadEdit;
}

function scratchpadTool({ name, description, properties, rest, change }: ScratchpadToolDefinition): Tool {
  const parameters: ToolParameters<unknown> = {
    jsonSchema: { ...rest, properties, required: [] },
    // Accepts any input, because the schema validates it later, together with the current state.
    parse: (input) => input,
  };
  const run = (args: unknown, { core }: { readonly core: CoreMemoryDraft }): string => {
    const before = core.read(scratchpadLabel);
    let note: string | undefined;
    core.edit(scratchpadLabel, (text) => {
      const edit = change(text, args as ScratchpadState);
      note = edit.note;
      return edit.text;
    });
    const report = reportEdit(core.module(scratchpadLabel), before);
    return note === undefined ? report : `${note}\n${report}`;
  };
  const tool: Tool = { name, description, parameters, effects: "memory", wholeResult: false, approval: false, run };
  return ownTool(tool, { isInstant: true });
}

/**
 * Returns the JSON Schema of each field, and the rest of the schema. The model does not see defaults: a field that it leaves
 * out stays unchanged.
 */
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
    // Throws for types without a JSON form (dates, maps), and for values that do not parse back unchanged (transforms).
    z.toJSONSchema(schema, { io: "output" });
  } catch (error) {
    throw badSchema(messageOf(error));
  }
}

function badSchema(problem: string): DefinitionError {
  return new DefinitionError(
    "memory_definition_invalid",
    `Expected the schema of a scratchpad to be a z.object whose fields round-trip through JSON: ${problem}.`,
  );
}

function described(field: JsonSchema, what: string): JsonSchema {
  return { ...field, description: `${what}. ${String(field["description"])}` };
}
