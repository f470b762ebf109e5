// Definitions of tools: schemas of zod 4, zod 3 and JSON Schema, and mistakes in a definition.
import { z } from "zod";
import * as z3 from "zod/v3";
import { DefinitionError, ToolError } from "../../../src/base/errors.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import type { ParameterSchema, ToolContext } from "../../../src/tool/tool.ts";

const context = {} as ToolContext;
const run = () => undefined;

const withParameters = (parameters: ParameterSchema) =>
  defineTool({ name: "order", description: "Orders.", parameters, run });

function errorOf(define: () => unknown): DefinitionError {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error("Expected a DefinitionError, got none.");
}

describe("parameters", () => {
  test("work without a description", () => {
    const tool = withParameters(z.object({ quiet: z.string() }));
    expect(tool.parameters.jsonSchema).toEqual({
      type: "object",
      properties: { quiet: { type: "string" } },
      required: ["quiet"],
    });
  });

  test.each<[string, ParameterSchema, string, RegExp]>([
    ["z.unknown()", z.object({ loose: z.unknown() }), "parameters.loose", /"loose" of tool "order": it has no type/],
    ["z.any() of zod 3", z3.object({ loose: z3.any() }), "parameters.loose", /"loose" of tool "order": it has no type/],
    ["z.date()", z.object({ due: z.date() }), "parameters.due", /"due" of tool "order".*no type for dates.*z\.iso/],
    ["z.date() of zod 3", z3.object({ due: z3.date() }), "parameters.due", /"due" of tool "order".*no type for dates/],
    ["z.bigint()", z.object({ sum: z.bigint() }), "parameters.sum", /"sum" of tool "order".*no type BigInt/],
    ["z.instanceof()", z.object({ at: z.instanceof(URL) }), "parameters.at", /"at" of tool "order".*cannot be sent/],
    ["z.string()", z.string(), "parameters", /"order".*an object \(z\.object\), got "string"/],
    ["zod types in a plain object", { city: z.string() } as never, "parameters", /Wrap it: z\.object\(\{ city: … \}\)/],
    ["a JSON Schema of a string", { type: "string" } as never, "parameters", /JSON Schema with type "object"/],
    [
      "a JSON Schema with a misspelt type",
      { type: "object", properties: { a: { type: "strnig" } } },
      "parameters",
      /strnig/,
    ],
    ["nothing", undefined as never, "parameters", /"order".*got undefined.*pass z\.object\(\{\}\)/],
  ])("%s is refused with the names of tool and field", (_name, parameters, field, message) => {
    const error = errorOf(() => withParameters(parameters));
    expect(error.code).toBe("tool_definition_invalid");
    expect(error.field).toBe(field);
    expect(error.message).toMatch(message);
  });

  test("may be a JSON Schema, which is sent and checked as it is written", () => {
    const tool = defineTool({
      name: "order",
      description: "Orders.",
      parameters: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          city: { type: "string", description: "A city." },
          days: { type: "integer", minimum: 1 },
          unit: { enum: ["c", "f"] },
        },
        required: ["city"],
        additionalProperties: false,
      },
      // The types of the arguments are derived: `days.toFixed` does not compile without the check.
      run: ({ city, days, unit }) => `${city.toUpperCase()} ${days?.toFixed() ?? "none"} ${unit === "c"}`,
    });
    expect(tool.parameters.jsonSchema).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "A city." },
        days: { type: "integer", minimum: 1 },
        unit: { enum: ["c", "f"] },
      },
      required: ["city"],
    });
    expect(tool.run(tool.parameters.parse({ city: "Lisbon", days: 2, unit: "c" }), context)).toBe("LISBON 2 true");
    expect(() => tool.parameters.parse({ days: 2 })).toThrow(ToolError);
    expect(() => tool.parameters.parse({ city: "Lisbon", days: 0 })).toThrow(/days/);
    expect(() => tool.parameters.parse({ city: "Lisbon", town: "x" })).toThrow(/town/);
  });
});

describe("a definition", () => {
  const valid = { name: "order", description: "Orders.", parameters: z.object({}), run };

  test.each<[string, object, string, RegExp]>([
    [
      "without a description",
      { ...valid, description: undefined },
      "description",
      /"order".*`description`, got undefined\. Say what/,
    ],
    [
      "with a blank description",
      { ...valid, description: " " },
      "description",
      /"order".*`description`, got a blank one/,
    ],
    ["without a name", { ...valid, name: undefined }, "name", /`name` to be a string, got undefined/],
    ["with spaces in its name", { ...valid, name: "no spaces" }, "name", /"no spaces".*letters, digits/],
    ["without a function", { ...valid, run: undefined }, "run", /defineTool\("order"\).*`run` to be a function/],
    ["with `execute`", { ...valid, execute: run }, "execute", /unknown option `execute`. Use `run`/],
    ["with `inputSchema`", { ...valid, inputSchema: {} }, "inputSchema", /Use `parameters`/],
    ["with a typing error", { ...valid, efects: "memory" }, "efects", /Did you mean `effects`/],
    ["with unknown effects", { ...valid, effects: "none" }, "effects", /"memory" or "external", got a string/],
    ["with approval as a text", { ...valid, approval: "yes" }, "approval", /true or false, got a string/],
  ])("%s is refused", (_name, definition, field, message) => {
    const error = errorOf(() => defineTool(definition as never));
    expect(error.code).toBe("tool_definition_invalid");
    expect(error.message).toMatch(message);
    expect(error.field).toBe(field);
  });

  test("that is not an object is refused", () => {
    expect(errorOf(() => defineTool((() => valid) as never)).message).toMatch(/`definition`.*got a function/);
  });
});
