// From a tool's parameters to a grammar, and from what it let through to arguments.
import { z } from "zod";
import { grammarSchema, withoutNulls } from "../../../../../src/model/llm/gguf/grammar-schema.ts";

const search = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 5000, description: "What to look for." },
    page: { type: "integer", minimum: 0, description: "Which page." },
    mode: { type: "string", enum: ["any", "all"] },
    until: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  required: ["query"],
  additionalProperties: false,
};

describe("grammarSchema", () => {
  it("allows null for optional properties, since a grammar writes every property", () => {
    expect(grammarSchema(search)).toEqual({
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "What to look for." },
        page: { oneOf: [{ type: "integer" }, { type: "null" }], description: "Which page." },
        mode: { oneOf: [{ enum: ["any", "all"] }, { type: "null" }] },
        until: { oneOf: [{ oneOf: [{ type: "string" }, { type: "null" }] }, { type: "null" }] },
      },
    });
  });

  it.each([
    [{ type: ["string", "null"] }, { oneOf: [{ type: "string" }, { type: "null" }] }],
    [{ const: 3 }, { enum: [3] }],
    [
      { type: "array", items: { type: "number" }, minItems: 1, maxItems: 1e6 },
      { type: "array", items: { type: "number" }, minItems: 1 },
    ],
    [{ allOf: [{ type: "boolean" }] }, { type: "boolean" }],
    [{ oneOf: [{ type: "boolean" }] }, { type: "boolean" }],
    [{ type: "object" }, { type: "object", properties: {}, additionalProperties: true }],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      { type: "object", properties: {}, additionalProperties: { type: "integer" } },
    ],
  ])("writes %j", (schema, expected) => {
    expect(grammarSchema(schema)).toEqual(expected);
  });

  it("follows references, and ends a cyclic one", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/definitions/node" } },
      required: ["root"],
      definitions: {
        node: { type: "object", properties: { next: { $ref: "#/definitions/node" } }, required: ["next"] },
      },
    };
    const text = JSON.stringify(grammarSchema(tree));
    expect(text.match(/"next"/gu)).toHaveLength(4);
    expect(grammarSchema({ type: "object", properties: { a: { $ref: "#/nowhere" } }, required: ["a"] })).toMatchObject({
      properties: { a: { oneOf: expect.arrayContaining([{ type: "string" }, { type: "null" }]) } },
    });
  });

  it.each([[{}], [{ enum: [{}] }], [{ type: "nonsense" }], [{ not: { type: "string" } }]])(
    "allows any value for %j, which the tool checks",
    (schema) => {
      expect(grammarSchema(schema)).toHaveProperty("oneOf");
    },
  );
});

describe("withoutNulls", () => {
  it("removes nulls that mean absent, and no others", () => {
    const written = { query: "a", page: null, mode: null, until: null };
    expect(withoutNulls(written, search)).toEqual({ query: "a", until: null });
    expect(withoutNulls({ query: null }, search)).toEqual({ query: null });
  });

  it("does so in nested objects and arrays, and through references", () => {
    const inner = { type: "object", properties: { tag: { type: "string" } } };
    const schema = {
      type: "object",
      properties: { list: { type: "array", items: { $ref: "#/definitions/inner" } }, one: inner },
      definitions: { inner },
    };
    expect(withoutNulls({ list: [{ tag: null }, { tag: "a" }], one: { tag: null } }, schema)).toEqual({
      list: [{}, { tag: "a" }],
      one: {},
    });
  });

  it("does so in the variant that has the value's properties", () => {
    const variant = (name: string) => ({ type: "object", properties: { [name]: {}, note: { type: "string" } } });
    const schema = { type: "object", properties: { one: { anyOf: [variant("a"), variant("b")] } }, required: ["one"] };
    expect(withoutNulls({ one: { b: 1, note: null } }, schema)).toEqual({ one: { b: 1 } });
    expect(withoutNulls({ one: { c: 1, note: null } }, schema)).toEqual({ one: { c: 1, note: null } });
  });

  it("returns arguments that the tool's own schema accepts", () => {
    const own = z.object({
      query: z.string(),
      page: z.number().int().optional(),
      tags: z.array(z.string()).optional(),
    });
    const schema = z.toJSONSchema(own, { io: "input", target: "draft-7" });
    const written = withoutNulls({ query: "a", page: null, tags: null }, schema);
    expect(own.parse(written)).toEqual({ query: "a" });
  });

  it.each([[undefined], [null], [3], ["</human>"], [["\ud800", null]]])(
    "does not change %j without a schema",
    (value) => {
      expect(withoutNulls(value, undefined)).toEqual(value);
    },
  );
});
