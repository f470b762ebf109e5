// Converts between the text of a scratchpad and its state: JSON that fits a zod schema.
// Invariant: pure; returned text fits the schema in canonical form; input that does not fit is refused as a whole.
import type { z } from "zod";
import { storableText } from "../../base/code-points.ts";
import { EditMismatchError, ModuleInvalidError, ToolError } from "../../base/errors.ts";
import { parseObject } from "../../base/json-values.ts";
import { describeIssues } from "../../tool/parameters.ts";
import { unrenderText } from "./memory-module.ts";

/** The label of the module that holds the scratchpad. */
export const scratchpadLabel = "scratchpad";

export type ScratchpadState = Readonly<Record<string, unknown>>;

/** The text after an edit, and a note about it for the model. */
export interface ScratchpadEdit {
  readonly text: string;
  readonly note: string | undefined;
}

/**
 * Parses a stored text. New fields of the schema take their defaults, removed fields are ignored, and a blank text is
 * an empty scratchpad. Throws ModuleInvalidError.
 */
export function readScratchpad(schema: z.ZodObject, text: string): ScratchpadState {
  return fit(schema, readFields(schema, text));
}

/** Parses the fields of a text without validating them. Throws ModuleInvalidError if it is not a JSON object. */
export function readFields(schema: z.ZodObject, text: string): ScratchpadState {
  return objectIn(text) ?? refuseText(schema);
}

/**
 * Returns the canonical form of a complete text. Throws ModuleInvalidError for a text that does not fit, and for unknown
 * fields.
 */
export function writeScratchpad(schema: z.ZodObject, text: string): string {
  const fields = readFields(schema, text);
  const state = fit(schema, fields);
  requireKnown(schema, fields, state);
  return textOf(state);
}

/**
 * Returns the text with the given fields replaced and the others unchanged. If the text cannot be parsed, all fields
 * must be given, so that nothing is lost silently. Throws ModuleInvalidError, and ToolError if no field is given.
 */
export function updateScratchpad(schema: z.ZodObject, text: string, fields: ScratchpadState): ScratchpadEdit {
  const names = fieldsOf(schema);
  requireFields(fields, names);
  const isComplete = names.every((name) => Object.hasOwn(fields, name));
  const before = (isComplete ? objectIn(text) : readFields(schema, text)) ?? {};
  const state = fit(schema, { ...before, ...fields });
  requireKnown(schema, fields, state);
  return { text: textOf(state), note: lostNote(droppedFields(before, state)) };
}

/**
 * Returns the text with items added to lists; existing items are not added again. Throws the same errors as `updateScratchpad`.
 */
export function addToScratchpad(schema: z.ZodObject, text: string, additions: ScratchpadState): ScratchpadEdit {
  const known: string[] = [];
  const edit = changeLists(schema, text, {
    request: additions,
    change(list, items) {
      const there = keysOf(list);
      const fresh = items.filter((item) => {
        const isKnown = there.has(keyOf(item));
        if (isKnown) known.push(JSON.stringify(item));
        there.add(keyOf(item));
        return !isKnown;
      });
      return [...list, ...fresh];
    },
  });
  return known.length === 0 ? edit : { ...edit, note: `Not added, because already present: ${known.join(", ")}.` };
}

/**
 * Returns the text with items removed from lists. Throws EditMismatchError for a missing item, and the same errors as
 * `updateScratchpad`.
 */
export function removeFromScratchpad(schema: z.ZodObject, text: string, removals: ScratchpadState): ScratchpadEdit {
  return changeLists(schema, text, {
    request: removals,
    change(list, items, field) {
      const there = keysOf(list);
      const meant = keysOf(items.map((item) => matchingItem(there, item, field)));
      return list.filter((item) => !meant.has(keyOf(item)));
    },
  });
}

interface ListChange {
  /** The items to add or remove, by field. */
  readonly request: ScratchpadState;
  readonly change: (list: readonly unknown[], items: readonly unknown[], field: string) => readonly unknown[];
}

function changeLists(schema: z.ZodObject, text: string, { request, change }: ListChange): ScratchpadEdit {
  const state = readScratchpad(schema, text);
  const lists = Object.entries(request).map(([field, items]) => {
    if (!Array.isArray(items)) throw notAList(`${field}: expected a list of items, got ${typeof items}`);
    const list = state[field] ?? [];
    if (!Object.hasOwn(schema.shape, field) || !Array.isArray(list)) throw notAList(`${field} is not a list`);
    return [field, change(list, items, field)] as const;
  });
  requireFields(request, fieldsOf(schema));
  return updateScratchpad(schema, text, Object.fromEntries(lists));
}

function matchingItem(there: ReadonlySet<string>, item: unknown, field: string): unknown {
  // An item that the model copied from the prompt may have escaped tags.
  const meant = typeof item === "string" && !there.has(keyOf(item)) ? unrenderText(item) : item;
  if (there.has(keyOf(meant))) return meant;
  throw new EditMismatchError(
    `${JSON.stringify(item)} is not in ${field}. Nothing was changed. An item must be an exact copy of one in the list.`,
  );
}

function fit(schema: z.ZodObject, value: ScratchpadState): ScratchpadState {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ModuleInvalidError(
    scratchpadLabel,
    describeIssues(parsed.error.issues),
    "Give values of the expected kind; a field that was already wrong can be corrected in the same edit.",
  );
}

/** Returns the JSON object in a text; an empty object for blank text; null if the text is not a JSON object. */
function objectIn(text: string): ScratchpadState | null {
  return text.trim() === "" ? {} : (parseObject(text) ?? null);
}

function textOf(state: ScratchpadState): string {
  return JSON.stringify(state, (_key, value: unknown) => (typeof value === "string" ? storableText(value) : value), 2);
}

function fieldsOf(schema: z.ZodObject): readonly string[] {
  return Object.keys(schema.shape);
}

/** Returns the fields that the schema dropped because it does not define them. */
function droppedFields(fields: ScratchpadState, state: ScratchpadState): readonly string[] {
  return Object.keys(fields).filter((name) => !Object.hasOwn(state, name));
}

function requireKnown(schema: z.ZodObject, fields: ScratchpadState, state: ScratchpadState): void {
  const unknown = droppedFields(fields, state).map((name) => JSON.stringify(name));
  if (unknown.length === 0) return;
  throw new ModuleInvalidError(
    scratchpadLabel,
    `there is no field ${unknown.join(", ")}`,
    `The fields are ${fieldsOf(schema).join(", ")}.`,
  );
}

function requireFields(fields: ScratchpadState, names: readonly string[]): void {
  if (Object.keys(fields).length > 0) return;
  throw new ToolError(`Expected at least one of the fields ${names.join(", ")}, got none. Nothing was changed.`);
}

function refuseText(schema: z.ZodObject): never {
  throw new ModuleInvalidError(
    scratchpadLabel,
    "its text is not a JSON object",
    `Rewrite it completely, with all of its fields: ${fieldsOf(schema).join(", ")}. Carry over what still matters.`,
  );
}

function notAList(problem: string): ToolError {
  return new ToolError(`${problem}. Nothing was changed.`);
}

function lostNote(lost: readonly string[]): string | undefined {
  if (lost.length === 0) return undefined;
  return `Left out, because the scratchpad no longer has these fields: ${lost.join(", ")}.`;
}

function keysOf(items: readonly unknown[]): Set<string> {
  return new Set(items.map(keyOf));
}

/** Returns a key that equal items share: JSON text that does not depend on the order of properties. */
function keyOf(item: unknown): string {
  const sorted = (_key: string, part: unknown): unknown =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part;
  return JSON.stringify(item, sorted);
}
