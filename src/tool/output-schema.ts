// Converts the schema of an answer (zod 4 or JSON Schema) to JSON Schema and to a check of the answer.
// Invariant: an answer that passes has the schema's type; a schema that cannot be sent or checked is refused at once.
import * as z from "zod";
import { parseJson } from "../base/json-values.ts";
import { isPlainObject, describeKind } from "../base/arguments/argument-checks.ts";
import { RequestError } from "../base/errors.ts";
import { messageOf } from "../base/thrown-values.ts";
import { describeIssues, isZodFour } from "./parameters.ts";
import type { JsonParameterSchema } from "./tool.ts";

/** A zod schema of an object, or a JSON Schema. TypeScript cannot infer the value's type from a JSON Schema. */
export type OutputSchema<Value> = z.ZodType<Value> | JsonParameterSchema;

export type OutputCheck<Value> =
  | { readonly type: "fits"; readonly value: Value }
  | { readonly type: "differs"; readonly problem: string };

export interface OutputForm<Value> {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  check(json: string): OutputCheck<Value>;
}

/** Returns the JSON Schema and the check of an answer. Throws RequestError `input_invalid` for an unusable schema. */
export function outputFormOf<Value>(schema: OutputSchema<Value>): OutputForm<Value> {
  const validator = validatorOf(schema);
  const jsonSchema = isZodFour(schema) ? schemaOf(validator) : schema;
  if (jsonSchema["type"] !== "object")
    throw notObject(`a schema of type ${JSON.stringify(jsonSchema["type"]) ?? "unknown"}`);
  return { jsonSchema, check: (json) => checkWith(validator, json) };
}

function validatorOf<Value>(schema: OutputSchema<Value>): z.ZodType<Value> {
  if (isZodFour(schema)) return schema;
  if (!isPlainObject(schema)) throw notObject(describeKind(schema));
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]) as z.ZodType<Value>;
  } catch (error) {
    throw refused(`\`output\` is not a supported JSON Schema: ${messageOf(error)}`, error);
  }
}

function schemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  try {
    const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
    return jsonSchema;
  } catch (error) {
    throw refused(`\`output\` cannot be converted to JSON Schema: ${messageOf(error)}`, error);
  }
}

function checkWith<Value>(validator: z.ZodType<Value>, json: string): OutputCheck<Value> {
  const value = parseJson(json);
  if (value === undefined) return { type: "differs", problem: "it is not JSON" };
  const { data, error } = validator.safeParse(value);
  if (error === undefined) return { type: "fits", value: data as Value };
  return { type: "differs", problem: describeIssues(error.issues) };
}

function notObject(got: string): RequestError {
  return refused(`Expected \`output\` to be a zod object or a JSON Schema of an object, got ${got}.`);
}

function refused(message: string, cause?: unknown): RequestError {
  return new RequestError("input_invalid", message, { field: "output", cause });
}
