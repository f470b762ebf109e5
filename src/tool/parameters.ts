// Converts a tool's schema (zod 4, zod 3 or JSON Schema) to the schema for providers and the validator of the model's
// arguments. For a tool of an MCP server, which checks the arguments itself, the validator accepts any object.
// Invariant: every parameter of a zod schema has a type that JSON can express, or the tool is refused with an error
// that names the tool and the parameter.
import { createRequire } from "node:module";
import * as z from "zod";
import type { zodToJsonSchema as ZodToJsonSchema } from "zod-to-json-schema";
import { isPlainObject, describeKind, faultOf } from "../base/arguments/argument-checks.ts";
import { ToolError } from "../base/errors.ts";
import { isObject, type JsonObject } from "../base/json-values.ts";
import { messageOf } from "../base/thrown-values.ts";
import type { JsonParameterSchema, ParameterIssue, ParameterSchema, ToolParameters, Zod3Schema } from "./tool.ts";

type JsonSchema = Readonly<Record<string, unknown>>;
type Validator = z.ZodType | Zod3Schema;

/** Returns the JSON Schema and the parser of a tool's parameters. Throws DefinitionError for a schema that providers refuse. */
export function toToolParameters(toolName: string, schema: ParameterSchema): ToolParameters<unknown> {
  const { jsonSchema: converted, validator } = convert(toolName, schema);
  const jsonSchema = withoutDialect(converted);
  if (jsonSchema["type"] !== "object") {
    const got = JSON.stringify(jsonSchema["type"] ?? "no single type");
    throw fault(toolName, "", `expected its parameters to be an object (z.object), got ${got}.`);
  }
  return { jsonSchema, parse: (input) => parseWith(toolName, validator, input) };
}

function convert(
  toolName: string,
  schema: ParameterSchema,
): { readonly jsonSchema: JsonSchema; readonly validator: Validator } {
  if (isZodFour(schema)) return { jsonSchema: zodFourSchema(toolName, schema), validator: schema };
  if (isZodThree(schema)) return { jsonSchema: zodThreeSchema(toolName, schema), validator: schema };
  checkPlainSchema(toolName, schema);
  return { jsonSchema: schema, validator: validatorOf(toolName, schema) };
}

function zodFourSchema(toolName: string, schema: z.ZodType): JsonSchema {
  const fields = "shape" in schema ? Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>) : [];
  // Fields are converted one at a time, because zod's error does not name the field that JSON Schema cannot express.
  for (const [name, field] of fields) {
    const { schema: converted, problem } = tryJsonSchema(field);
    if (problem !== null) throw fault(toolName, name, inexpressible(problem));
    checkType(toolName, name, converted);
  }
  const { schema: converted, problem } = tryJsonSchema(schema);
  if (problem !== null) throw fault(toolName, "", inexpressible(problem));
  return converted;
}

// `io: input` describes a parameter with a default as optional, so that the model may omit it.
function tryJsonSchema(schema: z.ZodType): { readonly schema: JsonSchema; readonly problem: string | null } {
  try {
    return { schema: z.toJSONSchema(schema, { target: "draft-7", io: "input" }), problem: null };
  } catch (error) {
    // Zod throws a plain Error with a text such as "Date cannot be represented in JSON Schema".
    return { schema: {}, problem: messageOf(error) };
  }
}

function inexpressible(problem: string): string {
  const type = /^(\w+) cannot be represented/u.exec(problem)?.[1];
  if (type === "Date") {
    return "JSON has no type for dates. Use z.iso.datetime() or z.iso.date(), and convert the text in `run`.";
  }
  const reason = type === undefined ? `it cannot be sent to a model (${problem})` : `JSON has no type ${type}`;
  return `${reason}. Use a type that JSON has, and convert the value in \`run\`.`;
}

// zod-to-json-schema supports zod 3 only: for zod 4 it silently returns an empty schema. It is loaded on demand, because
// it loads all of zod 3, which few programs need.
function zodThreeSchema(toolName: string, schema: Zod3Schema): JsonSchema {
  const { zodToJsonSchema } = createRequire(import.meta.url)("zod-to-json-schema") as {
    readonly zodToJsonSchema: typeof ZodToJsonSchema;
  };
  const convertField = (field: Zod3Schema): JsonSchema =>
    zodToJsonSchema(field as unknown as Parameters<typeof ZodToJsonSchema>[0], { $refStrategy: "none" }) as JsonSchema;
  for (const [name, field] of Object.entries(schema.shape ?? {})) {
    // A Date would be described to the model as a string, but the schema refuses strings.
    if (field._def.typeName === "ZodDate" && field._def.coerce !== true) {
      throw fault(toolName, name, inexpressible("Date cannot be represented"));
    }
    checkType(toolName, name, convertField(field));
  }
  return convertField(schema);
}

function checkType(toolName: string, parameter: string, property: JsonSchema): void {
  const isTyped = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"].some((key) => key in property);
  if (!isTyped)
    throw fault(toolName, parameter, "it has no type. Use a specific type instead of z.unknown() or z.any().");
}

function checkPlainSchema(toolName: string, schema: unknown): void {
  const remedy =
    "Pass a zod object, such as z.object({ city: z.string() }), or a JSON Schema. Without parameters, pass z.object({}).";
  if (!isPlainObject(schema)) {
    throw fault(
      toolName,
      "",
      `expected a zod object or a JSON Schema of an object, got ${describeKind(schema)}. ${remedy}`,
    );
  }
  const [first] = Object.entries(schema);
  if (first !== undefined && (isZodFour(first[1]) || isZodThree(first[1]))) {
    throw fault(
      toolName,
      "",
      `expected a zod object, got an object of zod types. Wrap it: z.object({ ${first[0]}: … }).`,
    );
  }
  if (schema["type"] !== "object") {
    throw fault(toolName, "", `expected a JSON Schema with type "object", got ${describeKind(schema)}. ${remedy}`);
  }
}

function validatorOf(toolName: string, schema: JsonParameterSchema): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    const problem = `its JSON Schema cannot check arguments: ${messageOf(error)}. Remove the unsupported keyword.`;
    throw fault(toolName, "", problem);
  }
}

function fault(toolName: string, parameter: string, problem: string) {
  const where = parameter === "" ? `Tool "${toolName}"` : `Parameter "${parameter}" of tool "${toolName}"`;
  return faultOf("tool", parameter === "" ? "parameters" : `parameters.${parameter}`, `${where}: ${problem}`);
}

function parseWith(toolName: string, schema: Validator, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ToolError(
    `Invalid arguments for ${toolName}: ${describeIssues(result.error.issues)}. Nothing was done; call it again with arguments that match its schema.`,
  );
}

/** Returns zod's issues as text, each with its path. */
export function describeIssues(issues: readonly ParameterIssue[]): string {
  const problems = issues.map((issue) => {
    const place = issue.path.map(String).join(".");
    return place === "" ? issue.message : `${place}: ${issue.message}`;
  });
  return problems.join("; ");
}

function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, additionalProperties: _closed, ...rest } = schema;
  return { ...rest, properties: rest["properties"] ?? {}, required: rest["required"] ?? [] };
}

/** Returns whether a schema is of zod 4, of this or another copy of the package. */
export function isZodFour(schema: unknown): schema is z.ZodType {
  return typeof schema === "object" && schema !== null && "_zod" in schema;
}

function isZodThree(schema: unknown): schema is Zod3Schema {
  return typeof schema === "object" && schema !== null && "_def" in schema && "safeParse" in schema;
}

/** Returns parameters that accept any object. `parse` throws ToolError for other arguments. */
export function objectParameters(
  toolName: string,
  jsonSchema: ToolParameters<unknown>["jsonSchema"],
): ToolParameters<unknown> {
  return {
    jsonSchema,
    parse: (input) => {
      if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
      throw new ToolError(
        `${toolName}: expected the arguments to be an object, got ${describeKind(input)}. Nothing was done.`,
      );
    },
  };
}

/**
 * Returns the parameters of a tool that a caller or a user describes. The model is shown the schema's regular expressions, but
 * arguments are not matched against them: some take years to match, and one user's expression must not block all users.
 * Therefore a value may match several schemas of a `oneOf`, and `patternProperties` allow properties of any name.
 */
export function givenParameters(toolName: string, schema: JsonParameterSchema): ToolParameters<unknown> {
  const { parse } = toToolParameters(toolName, withoutPatterns(schema) as JsonParameterSchema);
  return { jsonSchema: withoutDialect(schema), parse };
}

/** Keywords whose values are data, not schemas; and keywords whose values map names to schemas. */
const dataKeywords: readonly string[] = ["const", "enum", "default", "examples"];
const namedKeywords: readonly string[] = ["properties", "$defs", "definitions", "dependentSchemas"];

function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isObject(schema)) return schema;
  const { patternProperties, pattern: _pattern, oneOf, additionalProperties, ...kept } = schema;
  const { allOf = [] } = schema;
  const loose: JsonObject = {
    ...kept,
    ...(patternProperties === undefined && additionalProperties !== undefined ? { additionalProperties } : {}),
    ...(oneOf === undefined ? {} : { allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }),
  };
  return mapValues(loose, (value, keyword) => {
    if (dataKeywords.includes(keyword)) return value;
    return namedKeywords.includes(keyword) && isObject(value)
      ? mapValues(value, withoutPatterns)
      : withoutPatterns(value);
  });
}

function mapValues(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
