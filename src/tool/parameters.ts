// Converts a zod schema (4 or 3) to the schema for providers and the validator of the model's arguments.
// Invariant: every parameter has a type and a description, or the tool is refused (as in MemGPT's schema generator).
import { createRequire } from "node:module";
import * as z from "zod";
import type { zodToJsonSchema as ZodToJsonSchema } from "zod-to-json-schema";
import { DefinitionError, ToolError } from "../errors.ts";
import type { ParameterIssue, ParameterSchema, ToolParameters, Zod3Schema } from "./tool.ts";

type JsonSchema = Record<string, unknown>;

/** Throws DefinitionError naming the tool and the parameter that lacks a type or a description. */
export function toToolParameters(toolName: string, schema: ParameterSchema): ToolParameters<unknown> {
  const jsonSchema = withoutDialect(toJsonSchema(schema));
  if (jsonSchema["type"] !== "object") {
    throw new DefinitionError(
      "tool_definition_invalid",
      `Tool "${toolName}": expected its parameters to be a z.object, got ${String(jsonSchema["type"])}.`,
    );
  }
  for (const [parameter, property] of Object.entries((jsonSchema["properties"] ?? {}) as Record<string, JsonSchema>)) {
    checkParameter(toolName, parameter, property);
  }
  return { jsonSchema, parse: (input) => parseWith(toolName, schema, input) };
}

function checkParameter(toolName: string, parameter: string, property: JsonSchema): void {
  const typed = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"].some((key) => key in property);
  if (!typed) {
    throw new DefinitionError(
      "tool_definition_invalid",
      `Parameter "${parameter}" of tool "${toolName}" has no type. Use a specific type instead of z.unknown() or z.any().`,
    );
  }
  if (typeof property["description"] !== "string" || property["description"].trim() === "") {
    throw new DefinitionError(
      "tool_definition_invalid",
      `Parameter "${parameter}" of tool "${toolName}" has no description: add .describe("…").`,
    );
  }
}

function parseWith(toolName: string, schema: ParameterSchema, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ToolError(
    `Invalid arguments for ${toolName}: ${describeIssues(result.error.issues)}. Nothing was done; call it again with arguments that match its schema.`,
  );
}

/** Formats zod's issues, each with its path. */
export function describeIssues(issues: readonly ParameterIssue[]): string {
  const problems = issues.map((issue) => {
    const place = issue.path.map(String).join(".");
    return place === "" ? issue.message : `${place}: ${issue.message}`;
  });
  return problems.join("; ");
}

function toJsonSchema(schema: ParameterSchema): JsonSchema {
  if (isZodThree(schema)) return zodThreeJsonSchema(schema);
  // `io: input`, so that a parameter with a default is not required of the model.
  return z.toJSONSchema(schema, { target: "draft-7", io: "input" }) as JsonSchema;
}

// zod-to-json-schema supports zod 3 only: for zod 4 it silently returns an empty schema. It is loaded on demand,
// because it brings all of zod 3 with it and few tools need that.
function zodThreeJsonSchema(schema: Zod3Schema): JsonSchema {
  const { zodToJsonSchema } = createRequire(import.meta.url)("zod-to-json-schema") as {
    readonly zodToJsonSchema: typeof ZodToJsonSchema;
  };
  const zodThree = schema as unknown as Parameters<typeof ZodToJsonSchema>[0];
  return zodToJsonSchema(zodThree, { $refStrategy: "none" }) as JsonSchema;
}

function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, additionalProperties: _closed, ...rest } = schema;
  return { ...rest, properties: rest["properties"] ?? {}, required: rest["required"] ?? [] };
}

function isZodThree(schema: ParameterSchema): schema is Zod3Schema {
  return !("_zod" in schema);
}
